// SPDX-License-Identifier: GPL-2.0-or-later
/* emit.c - write notes for what changed, then the address and its counter [EB-n] */
#include "daemon/collect/perf/emit.h"

#include <stdio.h>
#include <string.h>

#define ROOM_MIN	64	/* exceeds all notes of one sample and a record's words */

void perf_emit_begin(struct perf_emit *e, words_fn *fn, void *context)
{
	e->nr = 0;
	e->counter = 0;
	e->nr_record = 0;
	e->fn = fn;
	e->context = context;
	e->begins_stack = false;
	e->has_cpu = e->has_task = e->has_mode = e->has_cookie = e->has_anon = false;
}

void perf_emit_end(struct perf_emit *e)
{
	if (e->nr)
		e->fn(e->context, e->words, e->nr);
	e->nr = 0;
}

static void put(struct perf_emit *e, op_word word)
{
	e->words[e->nr++] = word;
}

static void note(struct perf_emit *e, enum op_code code)
{
	put(e, OP_ESCAPE);
	put(e, code);
}

static void put_sample(struct perf_emit *e, uint64_t address)
{
	if (e->nr_record) {
		note(e, e->record_code);
		put(e, address);
		memcpy(e->words + e->nr, e->record, e->nr_record * sizeof(op_word));
		e->nr += e->nr_record;
	} else {
		put(e, address);
		put(e, e->counter);
	}
}

/* NUL padded, bytes in memory order. */
static void put_name(struct perf_emit *e, const char *name, size_t nr_words)
{
	size_t len = strnlen(name, nr_words * sizeof(op_word));

	memset(e->words + e->nr, 0, nr_words * sizeof(op_word));
	memcpy(e->words + e->nr, name, len);
	e->nr += nr_words;
}

static void make_room(struct perf_emit *e)
{
	if (PERF_EMIT_WORDS - e->nr < ROOM_MIN)
		perf_emit_end(e);
}

void perf_emit_cpu(struct perf_emit *e, unsigned int cpu)
{
	if (e->has_cpu && e->cpu == cpu)
		return;
	make_room(e);
	note(e, OP_CPU_SWITCH);
	put(e, cpu);
	e->cpu = cpu;
	e->has_cpu = true;
	e->has_task = e->has_mode = e->has_cookie = e->has_anon = false;
}

void perf_emit_task(struct perf_emit *e, uint32_t tgid, uint32_t tid, op_word program)
{
	if (e->has_task && e->tgid == tgid && e->tid == tid && e->program == program)
		return;
	make_room(e);
	note(e, OP_CTX_SWITCH);
	put(e, tid);
	put(e, program);
	note(e, OP_CTX_TGID);
	put(e, tgid);
	e->tgid = tgid;
	e->tid = tid;
	e->program = program;
	e->cgroup = 0;
	e->comm[0] = '\0';
	e->has_task = true;
}

void perf_emit_cgroup(struct perf_emit *e, uint64_t id)
{
	if (e->cgroup == id || id == OP_ESCAPE)
		return;
	make_room(e);
	note(e, OP_CGROUP);
	put(e, id);
	e->cgroup = id;
}

void perf_emit_comm(struct perf_emit *e, const char *name)
{
	if (!strncmp(e->comm, name, sizeof(e->comm) - 1))
		return;
	make_room(e);
	note(e, OP_COMM);
	put_name(e, name, OP_COMM_WORDS);
	snprintf(e->comm, sizeof(e->comm), "%s", name);
}

/* The notes before every sample or caller. [EB-40] */
static void begin(struct perf_emit *e, bool kernel)
{
	make_room(e);
	if (e->begins_stack)
		note(e, OP_TRACE_BEGIN);
	e->begins_stack = false;
	if (e->has_mode && e->kernel == kernel)
		return;
	note(e, kernel ? OP_KERNEL_ENTER : OP_USER_ENTER);
	e->kernel = kernel;
	e->has_mode = true;
}

static void set_cookie(struct perf_emit *e, op_word cookie)
{
	if (e->has_cookie && e->cookie == cookie)
		return;
	note(e, OP_COOKIE_SWITCH);
	put(e, cookie);
	e->cookie = cookie;
	e->has_cookie = true;
	e->has_anon = false;	/* it applies only without a cookie */
}

void perf_emit_kernel(struct perf_emit *e, uint64_t pc)
{
	begin(e, true);
	put_sample(e, pc);
}

void perf_emit_file(struct perf_emit *e, op_word cookie, uint64_t offset)
{
	begin(e, false);
	set_cookie(e, cookie);
	put_sample(e, offset);
}

void perf_emit_anonymous(struct perf_emit *e, uint64_t start, uint64_t end, const char *name,
			 uint64_t pc)
{
	begin(e, false);
	set_cookie(e, OP_NO_COOKIE);
	if (!e->has_anon || e->anon_start != start || e->anon_end != end) {
		note(e, OP_ANON_MAP);
		put(e, start);
		put(e, end);
		put_name(e, name, OP_ANON_NAME_WORDS);
		e->anon_start = start;
		e->anon_end = end;
		e->has_anon = true;
	}
	put_sample(e, pc);
}

void perf_emit_stack_end(struct perf_emit *e, unsigned int end)
{
	make_room(e);
	note(e, OP_STACK_END);
	put(e, end);
}

void perf_emit_cookie_end(struct perf_emit *e, op_word cookie)
{
	make_room(e);
	note(e, OP_COOKIE_END);
	put(e, cookie);
}

void perf_emit_code(struct perf_emit *e, bool loaded, uint64_t start, uint64_t size,
		    const char *name)
{
	make_room(e);
	note(e, OP_MODULE_RANGE);
	put(e, loaded);
	put(e, start);
	put(e, size);
	put_name(e, name, OP_MODULE_NAME_WORDS);
}

void perf_emit_module(struct perf_emit *e, bool loaded, uint64_t start, uint64_t size,
		      const char *name)
{
	perf_emit_code(e, loaded, start, size, name);
	note(e, OP_MODULE_LOADED);
}
