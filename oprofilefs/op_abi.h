/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * op_abi.h - the interface between the kernel module and user space
 *
 * The words of the event buffer, its ioctls and the limits of oprofilefs. Both sides also share
 * op_types.h (integer types), unwind/walk.h and unwind/table.h (walking stacks, and the tables that
 * the daemon pushes), and nothing else. Rules are numbered in doc/event-buffer.md ([EB-n]) and
 * doc/oprofilefs.md ([FS-n]).
 */
#ifndef OPROFILEFS_OP_ABI_H
#define OPROFILEFS_OP_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/ioctl.h>
typedef u64 op_word;
#else
#include <stdint.h>
#include <sys/ioctl.h>
typedef uint64_t op_word;
#endif

/* Increased when either side would misread the other; file "abi_version". */
#ifndef OP_ABI_VERSION		/* tests build a module of another version */
#define OP_ABI_VERSION		3
#endif

#define OPROFILEFS_NAME		"oprofilefs"
#define OPROFILEFS_MOUNT	"/dev/oprofile"
#define OPROFILEFS_MAGIC	0x6f70726f

/*
 * The event buffer is a sequence of native 64-bit words. OP_ESCAPE starts a note:
 * its code, then its payload. Any other word is an address (or file offset) and
 * the next one the number of the counter that fired. State set by a note holds
 * until the next note of its kind, across read() boundaries too.
 */
#define OP_ESCAPE		(~(op_word)0)

/* Codes 1-14 keep OProfile's numbers and meaning; ours start at 64. */
enum op_code {
	OP_CTX_SWITCH		= 1,	/* tid, app cookie, OP_ESCAPE, OP_CTX_TGID, tgid */
	OP_CPU_SWITCH		= 2,	/* cpu */
	OP_COOKIE_SWITCH	= 3,	/* cookie; OP_NO_COOKIE: see OP_ANON_MAP */
	OP_KERNEL_ENTER		= 4,	/* - */
	OP_USER_ENTER		= 5,	/* - */
	OP_MODULE_LOADED	= 6,	/* - ; also follows an unload */
	OP_CTX_TGID		= 7,	/* only inside OP_CTX_SWITCH */
	OP_TRACE_BEGIN		= 8,	/* - */
	/*
	 * A sample with the registers that the CPU recorded: the sample's address, then registers
	 * in two words each, the lower 32 bits first. Fetch: LinAd, Ctl, PhysAd. Op: Rip, Data,
	 * Data2, Data3, DcLinAd, DcPhysAd and, if requested, BrTarget in one word.
	 */
	OP_IBS_FETCH		= 13,	/* OP_IBS_FETCH_WORDS */
	OP_IBS_OP		= 14,	/* OP_IBS_OP_WORDS, one more with the branch target */

	/*
	 * The mapping that the following user samples with OP_NO_COOKIE lie in:
	 * start, end, then its name, NUL padded, in OP_ANON_NAME_WORDS words
	 * ("anon", "[heap]", "[stack]", "[vdso]", ...). Their pc stays absolute.
	 * start = end = 0: the process was gone before its mapping could be found.
	 */
	OP_ANON_MAP		= 64,
	/*
	 * A module was loaded (1) or unloaded (0): start and size of its text in bytes, then its
	 * name, NUL padded, in OP_MODULE_NAME_WORDS words. Followed by OP_MODULE_LOADED, unless it
	 * is a BPF program, "bpf_prog_TAG_NAME".
	 */
	OP_MODULE_RANGE		= 65,
	/* The stack begun by OP_TRACE_BEGIN is complete: one word with how it ended. [EB-44] */
	OP_STACK_END		= 66,
	/* Sampled code of an image that the module has no unwind table for: its cookie. */
	OP_WANT_TABLE		= 67,
	/* The control group of the last OP_CTX_SWITCH's task: its id, 64 bits. [EB-49] */
	OP_CGROUP		= 68,
	/* The name of that task, NUL padded, in OP_COMM_WORDS words. [EB-50] */
	OP_COMM			= 69,
	/* No word after this refers to the cookie, which ends: the cookie. [EB-51] */
	OP_COOKIE_END		= 70,
};

/*
 * How a stack ended: bits 0-7 of OP_STACK_END's word. The frames before the end are right in any
 * case. Bits 9-15: so many of the last frames are the outermost ones, and frames before them are
 * missing. Bits not named here are 0.
 */
enum op_stack_end {
	OP_STACK_COMPLETE	= 0,	/* the outermost frame was reached */
	OP_STACK_TRUNCATED	= 1,	/* at the requested depth */
	OP_STACK_NO_TABLE	= 2,	/* at code with neither a table nor a frame pointer */
	OP_STACK_BAD_FRAME	= 3,	/* a check failed: not rising, unaligned, off the stack */
	OP_STACK_UNREADABLE	= 4,	/* user memory could not be read: usually paged out */
	OP_STACK_SHORT_COPY	= 5,	/* at the end of the copied part of the stack */
	OP_STACK_NO_USER	= 6,	/* the kernel part is complete, there is no user part */
	OP_STACK_UNKNOWN	= 7,	/* in OProfile streams, or by frame pointers only */
	OP_STACK_NO_MAPS	= 8,	/* the process's mapping there was not known yet */
	NR_OP_STACK_ENDS
};
#define OP_STACK_END_MASK	0xffu
#define OP_STACK_FRAME_POINTERS	0x100u	/* some user frames were found by frame pointers */
#define OP_STACK_OUTER_SHIFT	9
#define OP_STACK_OUTER_MASK	0xfe00u
#define OP_STACK_OUTER_MAX	126	/* the stack store uses 127 for something else */

#define OP_STACK_DEPTH_MAX	1024	/* callers of a sample */

#define OP_ANON_NAME_WORDS	4
#define OP_COMM_WORDS		2
#define OP_MODULE_NAME_WORDS	8
#define OP_ANON_MAP_WORDS	(2 + OP_ANON_NAME_WORDS)	/* payload of OP_ANON_MAP */
#define OP_MODULE_RANGE_WORDS	(3 + OP_MODULE_NAME_WORDS)	/* payload of OP_MODULE_RANGE */

#define OP_IBS_FETCH_WORDS	7	/* payload of OP_IBS_FETCH, */
#define OP_IBS_OP_WORDS		13	/* and of OP_IBS_OP without the branch target */

#define OP_NO_COOKIE		((op_word)0)
#define OP_INVALID_COOKIE	OP_ESCAPE

/*
 * Shortest period of timer sampling on a CPU: below it a machine would do little but sample. The
 * smallest count follows from the clock: OP_TIMER_MIN_PERIOD_NS * kHz / 10^6.
 */
#define OP_TIMER_MIN_PERIOD_NS	15000

/* How long a set of counters counts before the next one, if there are several. */
#define OP_TIME_SLICE_MS		10
#define OP_TIME_SLICE_MS_MAX		1000

/*
 * Defaults and limits of the buffers' sizes. The watershed must also be below buffer_size, which is
 * checked when the buffer is opened.
 */
#define OP_BUFFER_SIZE			131072		/* words */
#define OP_BUFFER_SIZE_MIN		1024
#define OP_BUFFER_SIZE_MAX		(1 << 24)
#define OP_BUFFER_WATERSHED		32768		/* words */
#define OP_BUFFER_WATERSHED_MIN		1
#define OP_BUFFER_WATERSHED_MAX		(1 << 24)
#define OP_CPU_BUFFER_SIZE		8192		/* samples */
#define OP_CPU_BUFFER_SIZE_MIN		16
#define OP_CPU_BUFFER_SIZE_MAX		(1 << 20)

/*
 * ioctls on the open "buffer" file. Cookies live while it is open, or until the first read that
 * begins after OP_COOKIE_END was read. OP_IOC_COOKIE_PATH: -ENOENT: unknown cookie; -ENAMETOOLONG:
 * @len is set to the length needed. OP_IOC_COOKIE_FD: returns a read-only close-on-exec descriptor
 * of the file itself, even if it was renamed or deleted, and drops the module's reference to it, so
 * that profiling keeps no file system busy: a second call for a cookie fails with -ESTALE.
 */
struct op_cookie_path {
	op_word cookie;
	op_word buf;	/* user address of @len bytes; receives the path and its NUL */
	op_word len;	/* in: room; out: bytes written or needed, with the NUL */
};
#define OP_IOC_COOKIE_PATH	_IOWR('o', 0xe0, struct op_cookie_path)
#define OP_IOC_COOKIE_FD	_IOW('o', 0xe1, op_word)

/*
 * OP_IOC_UNWIND_TABLE: set the unwind table (unwind/table.h) of @cookie to the one at @data or, if
 * @len is 0, to that of another cookie, or remove it. [FS-60]
 * -EINVAL: invalid table; -ENOENT: unknown cookie, or @same_as has no table; -ENOSPC: more than
 * unwind/memory allows.
 */
struct op_unwind_push {
	op_word cookie;		/* or OP_COOKIE_VDSO */
	op_word same_as;	/* the cookie whose table to share; OP_NO_COOKIE: none */
	op_word data;		/* user address of @len bytes */
	op_word len;
};
#define OP_IOC_UNWIND_TABLE	_IOW('o', 0xe2, struct op_unwind_push)

/* The kernel's vdso in OP_WANT_TABLE and OP_IOC_UNWIND_TABLE; no file has this cookie. */
#define OP_COOKIE_VDSO		(~(op_word)1)

/*
 * The same for code that the process @tgid made in anonymous memory, in the 4 GiB at @window << 32:
 * offsets in the table are the lower 32 bits of addresses. It holds until the process's next exec.
 * -ENOENT: no such process; -EBUSY: it is removed, and to be removed again to forget the cookie.
 */
#define OP_COOKIE_MADE(tgid, window)	\
	((op_word)1 << 63 | (op_word)(tgid) << 24 | (op_word)(window))
#define OP_COOKIE_IS_MADE(cookie)	((cookie) >> 56 == 0x80)
#define OP_COOKIE_MADE_TGID(cookie)	((cookie) >> 24 & 0xffffffff)

/* unwind/memory: KiB for all tables; 0: frame pointers only, and no OP_WANT_TABLE. */
#define OP_UNWIND_MEMORY	65536
#define OP_UNWIND_MEMORY_MAX	(16 << 20)

#endif
