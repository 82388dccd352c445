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
#include "unwind/table.h"

#define BPF_WORDS		1024	/* u32 in a value of the map "words" */
#define BPF_KERNEL_MAX		127	/* the kernel lists no more by default */
#define BPF_ADDRESSES_MAX	(BPF_KERNEL_MAX + OP_STACK_DEPTH_MAX)

/* Of the map "processes", by tgid: its mappings are @nr values of the map "mappings". */
struct bpf_process {
	u32 first, nr;
	u32 serial;			/* changes whenever the collector writes it; not 0 */
	u32 zero;
};

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
};

/* Where a file's table is. */
struct bpf_image {
	u32 state;			/* written last */
	u32 first_page, nr_pages;	/* as in struct op_unwind_table */
	u32 pages, rows;		/* in "words"; a row is its start, and its rule << 16 */
	u32 rules;			/* in the map "rules" */
	u32 nr_rows, nr_rules;
};

/* The raw data of a sample whose stack the program found, as it is in the record. */
struct bpf_stack {
	u32 raw_size;			/* written by the kernel: of what follows */
	u32 serial;			/* of the process; 0: no user part */
	u32 end;			/* enum op_stack_end, perhaps OP_STACK_FRAME_POINTERS */
	u16 nr_kernel, nr_user;
	u64 sp;				/* of the outermost frame found */
	u64 addresses[BPF_ADDRESSES_MAX];	/* callers, innermost first */
};

#endif
