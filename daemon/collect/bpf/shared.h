/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared.h - what the BPF program and the collector exchange
 *
 * The program reads maps that the collector fills: which file a process has mapped where, and the
 * files' unwind tables. A table's parts (unwind/table.h) are in several maps, because the verifier
 * wants bounds that it can see.
 */
#ifndef DAEMON_COLLECT_BPF_SHARED_H
#define DAEMON_COLLECT_BPF_SHARED_H

#include "oprofilefs/op_abi.h"
#include "oprofilefs/op_types.h"
#include "runtime/runtime.h"
#include "unwind/table.h"

#define BPF_WORDS		1024	/* u32 in a value of the map "words" */
#define BPF_KERNEL_MAX		127	/* the kernel lists no more by default */
#define BPF_USER_MAX		(2 * OP_STACK_DEPTH_MAX)
#define BPF_ADDRESSES_MAX	(BPF_KERNEL_MAX + BPF_USER_MAX)

/*
 * A frame of an interpreter (runtime/) is two addresses with this bit: of the code object with its
 * mark, and the offset in it with the number of the runtime.
 */
#define BPF_INTERPRETED		OP_RUNTIME_END
#define BPF_RUNTIME_SHIFT	32

/* A process's mappings: @nr values of the map "mappings". */
struct bpf_process {
	u64 serial;			/* another one whenever it is written; 0: none */
	u32 tgid;
	u32 first, nr;
	u32 zero;
};

/* The map "processes": a hash table that the collector writes without system calls. */
#define BPF_SETS_SHIFT		10
#define BPF_WAYS		8
struct bpf_process_set {
	struct bpf_process way[BPF_WAYS];
};

static inline u32 bpf_set_of(u32 tgid)
{
	return tgid * 2654435761u >> (32 - BPF_SETS_SHIFT);
}

/* By address. */
struct bpf_mapping {
	u64 start, end;
	u64 offset;			/* of start in the file */
	u32 image;			/* in the map "images" */
	u32 zero;
};

enum bpf_image_state {
	BPF_IMAGE_PENDING,		/* its table is not known yet */
	BPF_IMAGE_NO_TABLE,		/* frame pointers only */
	BPF_IMAGE_TABLE,
	BPF_IMAGE_MADE,			/* the same, of code that is still being made */
};

/* Where a file's table is. */
struct bpf_image {
	u32 state;			/* written last */
	u32 first_page, nr_pages;	/* as in struct op_unwind_table */
	u32 pages, rows;		/* in "words"; a row is its start, and its rule << 16 */
	u32 rules;			/* in the map "rules" */
	u32 nr_rows, nr_rules;
	u32 zero;
	struct op_runtime runtime;	/* its interpreter */
};

/*
 * An event by time is opened for all modes and tasks, so that its timer always runs the program,
 * which drops what is not wanted.
 */
enum bpf_watch_flags {
	BPF_WATCH_BY_TIME	= 1,
	BPF_WATCH_NO_KERNEL	= 2,
	BPF_WATCH_NO_USER	= 4,
	BPF_WATCH_NO_IDLE	= 8,
};

/* Of the map "watches", of each event: samples that the program was not run for [PC-98]. */
struct bpf_watch {
	u64 missed;
	u64 event;			/* whose expected is; 0: none yet */
	u64 expected;			/* count, or time, at which the next sample is due */
	u32 flags;			/* enum bpf_watch_flags, set by the collector */
	u32 zero;
};

/* The raw data of a sample whose stack the program found, as it is in the record. */
struct bpf_stack {
	u32 raw_size;			/* written by the kernel: of what follows */
	u16 nr_kernel, nr_user;
	u64 serial;			/* of the process; 0: no user part */
	u64 sp;				/* of the outermost frame found */
	u32 end;			/* enum op_stack_end, perhaps OP_STACK_FRAME_POINTERS */
	u32 is_leaf_interpreted;	/* the first user frame is the sample's own place */
	u64 addresses[BPF_ADDRESSES_MAX];	/* callers, innermost first */
};

#endif
