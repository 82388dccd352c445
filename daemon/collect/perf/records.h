/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records.h - one record of a perf ring, taken apart
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
	PERF_KIND_OTHER,	/* known to be of no use to us */
	PERF_KIND_SAMPLE,
	PERF_KIND_MMAP,
	PERF_KIND_EXEC,		/* COMM with the exec bit: the old mappings are gone */
	PERF_KIND_FORK,
	PERF_KIND_EXIT,
	PERF_KIND_LOST,		/* records of any kind for which the ring had no room */
	PERF_KIND_LOST_SAMPLES,	/* samples lost before they reached the ring */
	PERF_KIND_THROTTLE,
	PERF_KIND_UNTHROTTLE,
	PERF_KIND_CGROUP,	/* a control group was made */
	PERF_KIND_COMM,		/* a task named itself */
};

enum perf_mode { PERF_MODE_UNKNOWN, PERF_MODE_KERNEL, PERF_MODE_USER };

/* A sample as it waits for its turn: small, there may be many. */
struct perf_sample {
	uint64_t time;			/* CLOCK_MONOTONIC, ns, as in all records */
	uint64_t pc;
	uint32_t tgid, tid;		/* (uint32_t)-1: the task is past its exit */
	enum perf_mode mode;
	uint32_t counter;		/* not in the record: the reader's to fill in */
	/* What follows in its record if its event asks for callers, still on the ring; else 0 */
	uint32_t stack_size;
	const void *stack;		/* perf_sample_stack_parse() */
	uint64_t position;		/* of its record on the ring, kept while it has a stack */
	uint64_t cgroup;		/* id of its control group; 0 untold; the reader's, too */
};

struct perf_mmap {
	uint64_t start, end;		/* start < end */
	uint64_t offset;		/* in the file, bytes */
	const char *path;		/* NUL terminated, in the record; as the kernel wrote it */
	uint32_t major, minor;		/* these four are 0 when build_id.len isn't */
	uint64_t inode, generation;
	struct build_id build_id;
	bool executable;
};

struct perf_record {
	enum perf_kind kind;
	uint64_t time;
	uint32_t tgid, tid;		/* whom it is about */
	uint32_t cpu;			/* on which it happened */
	uint64_t id;			/* of the event that it comes from */
	union {
		struct {
			struct perf_sample sample;
			/* only of one that was put aside whole, by order.h; else not set */
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
		uint64_t lost;		/* LOST, LOST_SAMPLES */
	};
};

/* -EBADMSG: too short for its type, or a name without end. *ret is untouched then. */
int perf_record_parse(const void *bytes, size_t size, struct perf_record *ret);

/* The control group of a sample whose event tells it, [PC-91]. */
uint64_t perf_record_cgroup(const void *bytes, size_t size);

/* The raw data of a sample that could be parsed, in @bytes. NULL: it has none, or not as told. */
const void *perf_record_raw(const void *bytes, size_t size, size_t *ret_size);

/* ---- the stack of a sample ---- */

/* The user registers that are asked for, as perf numbers them, and how many that are. */
#if defined(__x86_64__)
#define PERF_USER_REGS \
	(((UINT64_C(2) << PERF_REG_X86_FLAGS) - 1) | UINT64_C(0xff) << PERF_REG_X86_R8)
#define PERF_USER_REGS_NR	18	/* rax to rip and the flags, r8 to r15 */
#elif defined(__aarch64__)
#define PERF_USER_REGS	(UINT64_C(0x1ffffffff))	/* x0 to x30, sp, pc */
#define PERF_USER_REGS_NR	33
#else
#error "no registers for this CPU"
#endif

struct perf_sample_stack {
	/*
	 * Addresses, innermost first, the first the sample's own. Before the kernel's stands
	 * PERF_CONTEXT_KERNEL, before the user's PERF_CONTEXT_USER.
	 */
	const uint64_t *addresses;
	size_t nr_addresses;

	const uint64_t *registers;	/* PERF_USER_REGS_NR of them; NULL: there are none */
	bool is_32bit;			/* the task runs 32-bit code */
	const unsigned char *copy;	/* from the stack pointer upwards */
	uint32_t copy_size;		/* as far as it could be read */
	uint32_t copy_asked;		/* as much as the record has room for */
};

/* The register @number, which must be in PERF_USER_REGS, of such a list. */
static inline uint64_t perf_user_register(const uint64_t *registers, unsigned int number)
{
	return registers[__builtin_popcountll(PERF_USER_REGS & ((UINT64_C(1) << number) - 1))];
}

/*
 * @bytes: 8-byte aligned, as in struct perf_sample. @copies: whether the event asks for registers
 * and a copy. -EBADMSG: too short for what it says; *ret is untouched then.
 */
int perf_sample_stack_parse(const void *bytes, size_t size, bool copies,
			    struct perf_sample_stack *ret);

#endif
