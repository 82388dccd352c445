/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.h - a user address of a pinned process -> (cookie, offset in the file)
 *
 * The sync walks runs of samples of one process; for the length of a run the process's mmap_lock
 * is held for reading and the last mapping remembered. Only the sync uses this.	[task]
 */
#ifndef MODULE_TRANSLATE_H
#define MODULE_TRANSLATE_H

#include "module/pins.h"
#include "module/words.h"

/* How often a pass may sleep because of processes that are exiting or hold their mmap_lock. */
#define OP_WALK_SLEEPS	20

struct op_walk {
	struct op_pin *pin;		/* NULL: no process, or it could not be pinned */
	unsigned int *sleeps_left;	/* of this pass; set by the caller */
	bool entered;			/* live is valid */
	bool stalled;			/* it is exiting, or its mmap_lock is taken */
	struct mm_struct *live;		/* with mmap_lock and a user reference; NULL: gone */

	/* the current mapping, of live */
	unsigned long start, end;
	u64 offset;			/* of start in its file */
	op_word cookie;
	bool is_code;			/* it is executable */
	struct op_anon anon;		/* when cookie is OP_NO_COOKIE */
};

/* Where a sample lies. */
struct op_place {
	op_word cookie;			/* OP_NO_COOKIE: address is absolute, anon says where */
	u64 address;
	bool is_code;			/* known to be or to have been executable */
	struct op_anon anon;
};

/* Continue with the process @mm; 0: none. Ends the previous walk. */
void op_walk_begin(struct op_walk *w, u64 mm);
void op_walk_end(struct op_walk *w);

/* Cookie of the application, that is the process's executable. */
op_word op_walk_app(struct op_walk *w);

/*
 * Find @pc, sampled when the unmap sequence was @sequence. 0; -ESRCH: the process was not pinned;
 * -ENOENT: nothing was mapped there; -ENODATA: its image has no cookie; -EAGAIN: try again later
 * (it is exiting, its mmap_lock is taken, or a mapping may be being removed); not if @final.
 */
int op_walk_user(struct op_walk *w, unsigned long pc, u32 sequence, bool final,
		 struct op_place *ret);

/*
 * As op_walk_user(), for the return address @address. The call before it is looked up, because that
 * may be the last instruction of its mapping. Many such words are not addresses, so nothing is
 * waited for; an address not known to be code is no caller: -ENOENT.
 */
int op_walk_caller(struct op_walk *w, unsigned long address, u32 sequence, bool final,
		   struct op_place *ret);

#endif
