/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - write words of the event buffer (op_abi.h)
 *
 * Keeps the last notes and writes one only when it changes. Words are passed on in large pieces.
 * Each drain starts with perf_emit_begin() and is self-contained: all notes precede its first
 * sample.
 */
#ifndef DAEMON_COLLECT_PERF_EMIT_H
#define DAEMON_COLLECT_PERF_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/collector.h"
#include "oprofilefs/op_abi.h"

#define PERF_EMIT_WORDS	32768
#define PERF_EMIT_RECORD_MAX	16

struct perf_emit {
	op_word words[PERF_EMIT_WORDS];
	size_t nr;
	words_fn *fn;
	void *context;

	/* the current notes, and whether each was written */
	bool has_cpu, has_task, has_mode, has_cookie, has_anon;
	bool kernel;
	unsigned int cpu;
	uint32_t counter;		/* of the samples that follow; 0 until it is set */
	/* if not 0, samples are not pairs but notes: @record_code, address, then @record */
	size_t nr_record;		/* PERF_EMIT_RECORD_MAX at most */
	enum op_code record_code;
	op_word record[PERF_EMIT_RECORD_MAX];
	uint32_t tgid, tid;
	op_word program, cookie;
	uint64_t cgroup;		/* of the task */
	char comm[OP_COMM_WORDS * 8 + 1];	/* of the task */
	uint64_t anon_start, anon_end;
	bool begins_stack;		/* the next sample is a leaf, followed by its callers */
};

void perf_emit_begin(struct perf_emit *e, words_fn *fn, void *context);
void perf_emit_end(struct perf_emit *e);	/* passes on the rest */

/* CPU and task of the next samples. A change of CPU voids all other notes. @program: app cookie. */
void perf_emit_cpu(struct perf_emit *e, unsigned int cpu);
void perf_emit_task(struct perf_emit *e, uint32_t tgid, uint32_t tid, op_word program);
/* The id of that task's control group; 0: unknown. */
void perf_emit_cgroup(struct perf_emit *e, uint64_t id);
/* That task's name, truncated to OP_COMM_WORDS words; "": unknown. */
void perf_emit_comm(struct perf_emit *e, const char *name);

/* One sample or caller; no address may be OP_ESCAPE. */
void perf_emit_kernel(struct perf_emit *e, uint64_t pc);
void perf_emit_file(struct perf_emit *e, op_word cookie, uint64_t offset);
/* @name is truncated to OP_ANON_NAME_WORDS words. */
void perf_emit_anonymous(struct perf_emit *e, uint64_t start, uint64_t end, const char *name,
			 uint64_t pc);

/* End the stack that begins_stack began. @end: enum op_stack_end and OP_STACK_* bits. */
void perf_emit_stack_end(struct perf_emit *e, unsigned int end);

void perf_emit_cookie_end(struct perf_emit *e, op_word cookie);

/* A module or BPF program. Of a longer name the first OP_MODULE_NAME_WORDS words are written. */
void perf_emit_code(struct perf_emit *e, bool loaded, uint64_t start, uint64_t size,
		    const char *name);
/* A module, and that the list of modules changed. */
void perf_emit_module(struct perf_emit *e, bool loaded, uint64_t start, uint64_t size,
		      const char *name);

#endif
