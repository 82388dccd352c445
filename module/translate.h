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

struct op_walk {
	struct op_pin *pin;		/* NULL: no process, or none that could be pinned */
	bool entered;			/* live and dead are known */
	unsigned int retries;		/* times it waited for a munmap in progress */
	struct mm_struct *live;		/* its mmap_lock and a user reference are held */

	/* the mapping last used, of live */
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
	bool is_code;			/* there is, or was, code; false: or nobody knows */
	struct op_anon anon;
};

/* Go on with the process of number @mm; 0: none. Ends the walk before. */
void op_walk_begin(struct op_walk *w, u64 mm);
void op_walk_end(struct op_walk *w);

/* Cookie of the application: what the process runs. */
op_word op_walk_app(struct op_walk *w);

/*
 * Find @pc, sampled when the unmap sequence was @sequence. 0;
 * -ESRCH: the process wasn't pinned; -ENOENT: nothing was mapped there, or its image has no cookie;
 * -EAGAIN: not to be known just now (it is exiting, or its mmap_lock is taken); not if @final.
 */
int op_walk_user(struct op_walk *w, unsigned long pc, u32 sequence, bool final,
		 struct op_place *ret);

/*
 * As op_walk_user(), of the return address @address: what it is looked up by is the call, which may
 * be the last thing in its mapping. Many are no addresses at all, so nothing is waited for; and
 * where nobody knows of code there is no caller: -ENOENT.
 */
int op_walk_caller(struct op_walk *w, unsigned long address, u32 sequence, bool final,
		   struct op_place *ret);

#endif
