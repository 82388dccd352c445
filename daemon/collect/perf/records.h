/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records.h - parse a record of a perf ring
 *
 * Pure: bytes in, struct out, every length checked [PC-10]. All our events use the same
 * PERF_RECORD_SAMPLE_TYPE and sample_id_all, so a record's layout follows from its type alone.
 */
#ifndef DAEMON_COLLECT_PERF_RECORDS_H
#define DAEMON_COLLECT_PERF_RECORDS_H

#include <asm/perf_regs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>
#include "libutil/build_id.h"

#define PERF_RECORD_SAMPLE_TYPE                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |        \
	 PERF_SAMPLE_CPU)
/* Bytes of a sample on the ring: header, id, pc, pid and tid, time, cpu. */
#define PERF_SAMPLE_BYTES	48

enum perf_kind {
	PERF_KIND_OTHER,	/* not used */
	PERF_KIND_SAMPLE,
	PERF_KIND_MMAP,
	PERF_KIND_EXEC,		/* COMM with the exec bit: the old mappings are gone */
	PERF_KIND_FORK,
	PERF_KIND_EXIT,
	PERF_KIND_LOST,		/* records of any kind, lost for lack of room in the ring */
	PERF_KIND_LOST_SAMPLES,	/* samples lost before they reached the ring */
	PERF_KIND_THROTTLE,
	PERF_KIND_UNTHROTTLE,
	PERF_KIND_CGROUP,	/* a control group was created */
	PERF_KIND_COMM,		/* a task set its name */
	PERF_KIND_CODE,		/* code of the kernel was made or is gone: BPF programs */
};

enum perf_mode { PERF_MODE_UNKNOWN, PERF_MODE_KERNEL, PERF_MODE_USER };

/* A waiting sample: small, because there may be many. */
struct perf_sample {
	uint64_t time;			/* CLOCK_MONOTONIC, ns, as in all records */
	uint64_t pc;
	uint32_t tgid, tid;		/* (uint32_t)-1: the task is past its exit */
	enum perf_mode mode;
	bool walked;			/* its stack is of the BPF program; set by the reader */
	uint32_t counter;		/* not in the record: set by the reader */
	/* The rest of its record if its event has stacks, still on the ring; else 0 */
	uint32_t stack_size;
	const void *stack;		/* perf_sample_stack_parse() */
	uint64_t position;		/* of its record on the ring, kept while it has a stack */
	uint64_t cgroup;		/* id of its control group, set by the reader; 0: unknown */
};

struct perf_mmap {
	uint64_t start, end;		/* start < end */
	uint64_t offset;		/* in the file, bytes */
	const char *path;		/* NUL terminated, in the record; as the kernel wrote it */
	uint32_t major, minor;		/* these four are 0 if build_id.len is not */
	uint64_t inode, generation;
	struct build_id build_id;
	bool executable;
};

struct perf_record {
	enum perf_kind kind;
	uint64_t time;
	uint32_t tgid, tid;		/* the task it is about */
	uint32_t cpu;			/* on which it happened */
	uint64_t id;			/* of the event */
	union {
		struct {
			struct perf_sample sample;
			/* set only for records stored whole by order.h */
			const void *raw;
			size_t raw_size;
		};
		struct perf_mmap mmap;
		const char *comm;	/* EXEC, COMM: NUL terminated, in the record */
		struct {
			uint32_t parent_tgid, parent_tid;	/* FORK, EXIT */
		};
		struct {
			uint64_t id;
			const char *path;	/* NUL terminated, in the record */
		} cgroup;
		struct {
			uint64_t start, size;
			bool is_loaded;
			const char *name;	/* NUL terminated, in the record */
		} code;
		uint64_t lost;		/* LOST, LOST_SAMPLES */
	};
};

/* -EBADMSG: too short for its type, or an unterminated name. *ret is untouched then. */
int perf_record_parse(const void *bytes, size_t size, struct perf_record *ret);

/* The control group of a sample whose event records it [PC-91]. */
uint64_t perf_record_cgroup(const void *bytes, size_t size);

/* The raw data of a valid sample, in @bytes; @has_stack: it has one. NULL: missing or malformed. */
const void *perf_record_raw(const void *bytes, size_t size, bool has_stack, size_t *ret_size);

/* ---- the stack of a sample ---- */

/* The user registers that are recorded, as numbered by perf, and how many there are. */
#if defined(__x86_64__)
#define PERF_USER_REGS \
	(((UINT64_C(2) << PERF_REG_X86_FLAGS) - 1) | UINT64_C(0xff) << PERF_REG_X86_R8)
#define PERF_USER_REGS_NR	18	/* rax to rip and the flags, r8 to r15 */
#elif defined(__aarch64__)
#define PERF_USER_REGS	(UINT64_C(0x1ffffffff))	/* x0 to x30, sp, pc */
#define PERF_USER_REGS_NR	33
#else
#define PERF_USER_REGS	UINT64_C(1)	/* stacks are not unwound: any register will do */
#define PERF_USER_REGS_NR	1
#endif

struct bpf_stack;

struct perf_sample_stack {
	const struct bpf_stack *walked;	/* found by the BPF program: there is nothing else */
	/*
	 * Addresses, innermost first, beginning with the sample's own. PERF_CONTEXT_KERNEL precedes
	 * the kernel's, PERF_CONTEXT_USER the user's.
	 */
	const uint64_t *addresses;
	size_t nr_addresses;

	const uint64_t *registers;	/* PERF_USER_REGS_NR of them; NULL: none */
	bool is_32bit;			/* the task runs 32-bit code */
	const unsigned char *copy;	/* from the stack pointer upwards */
	uint32_t copy_size;		/* bytes that could be read */
	uint32_t copy_asked;		/* bytes that were asked for */
};

/* The register @number, which must be in PERF_USER_REGS, of perf_sample_stack.registers. */
static inline uint64_t perf_user_register(const uint64_t *registers, unsigned int number)
{
	return registers[__builtin_popcountll(PERF_USER_REGS & ((UINT64_C(1) << number) - 1))];
}

/*
 * @bytes: 8-byte aligned, as in struct perf_sample. @raw: the event records raw data; @copies:
 * registers and a copy. -EBADMSG: malformed; *ret is untouched then.
 */
int perf_sample_stack_parse(const void *bytes, size_t size, bool raw, bool copies,
			    struct perf_sample_stack *ret);

/* The same of a sample whose stack the BPF program has found. */
int perf_sample_walked_parse(const void *bytes, size_t size, struct perf_sample_stack *ret);

/*
 * What a sample with a copy can do without [PC-90]: the word with the size of the copy is at
 * *ret_at, of the bytes behind it the first *ret_used are needed (a multiple of 8, not 0), and the
 * rest of the record begins at *ret_resume. A record without those in between has *ret_used in the
 * upper half of that word. False: all of it is needed, or it is something else.
 */
bool perf_record_unused(const void *bytes, size_t size, size_t *ret_at, size_t *ret_used,
			size_t *ret_resume);

#endif
