// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_collector.c - words from a test instead of from a kernel
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/list.h"
#include "libutil/xalloc.h"
#include "tests/fake_collector.h"

static struct fake_collector *of(struct collector *c)
{
	return container_of(c, struct fake_collector, collector);
}

static int fake_open(struct collector *c, const struct collector_config *config, struct op_error *e)
{
	(void)c, (void)config, (void)e;
	return 0;
}

static void fake_close(struct collector *c)
{
	(void)c;
}

static int fake_start(struct collector *c, struct op_error *e)
{
	if (of(c)->fail)
		return op_error_set(e, of(c)->fail, "told to fail");
	of(c)->running = true;
	return 0;
}

static int fake_stop(struct collector *c, struct op_error *e)
{
	if (of(c)->fail)
		return op_error_set(e, of(c)->fail, "told to fail");
	of(c)->running = false;
	return 0;
}

static int fake_poll_fd(struct collector *c)
{
	(void)c;
	return -1;
}

static int fake_drain(struct collector *c, bool flush, words_fn *words, void *context,
		      struct op_error *e)
{
	struct fake_collector *f = of(c);
	size_t end = f->nr;

	if (f->fail)
		return op_error_set(e, f->fail, "told to fail");
	if (!flush && f->limit && f->taken + f->limit < end)
		end = f->taken + f->limit;
	while (f->taken < end) {
		size_t n = f->chunk && f->chunk < end - f->taken ? f->chunk : end - f->taken;

		words(context, f->words + f->taken, n);
		f->taken += n;
	}
	return 0;
}

static int fake_cookie_path(struct collector *c, op_word cookie, char **ret_path)
{
	struct fake_collector *f = of(c);

	f->nr_cookie_questions++;
	if (!cookie || cookie > f->nr_paths || !f->paths[cookie - 1])
		return -ENOENT;
	*ret_path = xstrdup(f->paths[cookie - 1]);
	return 0;
}

static int fake_cookie_fd(struct collector *c, op_word cookie)
{
	(void)c, (void)cookie;
	return -ESTALE;
}

/* Build-ids that tell the cookies apart. */
static int fake_cookie_build_id(struct collector *c, op_word cookie, unsigned char *id, size_t *len)
{
	(void)c;
	memset(id, (int)cookie, 20);
	*len = 20;
	return 0;
}

static int fake_counts(struct collector *c, struct session_counts *counts)
{
	const struct session_counts *ours = &of(c)->counts;

	if (counts->nr_cpus < ours->nr_cpus) {
		counts->cpu = xrealloc_array(counts->cpu, ours->nr_cpus, sizeof(*counts->cpu));
		memset(counts->cpu + counts->nr_cpus, 0,
		       (ours->nr_cpus - counts->nr_cpus) * sizeof(*counts->cpu));
		counts->nr_cpus = ours->nr_cpus;
	}
	for (unsigned int i = 0; i < ours->nr_cpus; i++)
		counts->cpu[i].received += ours->cpu[i].received;
	return 0;
}

static int fake_event_times(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
			    uint64_t *ret_running_ns)
{
	if (counter >= 4 || !of(c)->enabled_ns[counter])
		return -ENODATA;
	*ret_enabled_ns = of(c)->enabled_ns[counter];
	*ret_running_ns = of(c)->running_ns[counter];
	return 0;
}

static void fake_status(struct collector *c, struct collector_status *ret)
{
	(void)c;
	snprintf(ret->model, sizeof(ret->model), "timer");
	ret->period_ns = 100000;
}

void fake_collector_init(struct fake_collector *f, const char *const *paths, size_t nr_paths)
{
	memset(f, 0, sizeof(*f));
	f->collector = (struct collector){
		.name = "fake",
		.open = fake_open,
		.close = fake_close,
		.start = fake_start,
		.stop = fake_stop,
		.poll_fd = fake_poll_fd,
		.drain = fake_drain,
		.cookie_path = fake_cookie_path,
		.cookie_fd = fake_cookie_fd,
		.cookie_build_id = fake_cookie_build_id,
		.counts = fake_counts,
		.event_times = fake_event_times,
		.status = fake_status,
	};
	f->paths = paths;
	f->nr_paths = nr_paths;
	f->counts.nr_cpus = 4;
	f->counts.cpu = xcalloc(f->counts.nr_cpus, sizeof(*f->counts.cpu));
}

void fake_collector_free(struct fake_collector *f)
{
	free(f->words);
	free(f->counts.cpu);
	memset(f, 0, sizeof(*f));
}

void fake_put(struct fake_collector *f, op_word word)
{
	xgrow(f->words, f->nr, f->room);
	f->words[f->nr++] = word;
}

static void put_note(struct fake_collector *f, enum op_code code)
{
	fake_put(f, OP_ESCAPE);
	fake_put(f, code);
}

static void put_text(struct fake_collector *f, const char *text, size_t nr_words)
{
	op_word words[OP_MODULE_NAME_WORDS] = { 0 };

	memcpy(words, text, strlen(text) < nr_words * 8 ? strlen(text) : nr_words * 8);
	for (size_t i = 0; i < nr_words; i++)
		fake_put(f, words[i]);
}

void fake_sample(struct fake_collector *f, op_word pc, op_word counter)
{
	f->counts.cpu[f->cpu].received++;
	fake_put(f, pc);
	fake_put(f, counter);
}

void fake_cpu(struct fake_collector *f, unsigned int cpu)
{
	f->cpu = cpu;
	put_note(f, OP_CPU_SWITCH);
	fake_put(f, cpu);
}

void fake_task(struct fake_collector *f, op_word tid, op_word app_cookie, op_word tgid)
{
	put_note(f, OP_CTX_SWITCH);
	fake_put(f, tid);
	fake_put(f, app_cookie);
	put_note(f, OP_CTX_TGID);
	fake_put(f, tgid);
}

void fake_comm(struct fake_collector *f, const char *name)
{
	op_word words[OP_COMM_WORDS] = { 0 };

	memcpy(words, name, strnlen(name, sizeof(words)));
	put_note(f, OP_COMM);
	for (size_t i = 0; i < OP_COMM_WORDS; i++)
		fake_put(f, words[i]);
}

void fake_cookie(struct fake_collector *f, op_word cookie)
{
	put_note(f, OP_COOKIE_SWITCH);
	fake_put(f, cookie);
}

void fake_kernel(struct fake_collector *f)
{
	put_note(f, OP_KERNEL_ENTER);
}

void fake_user(struct fake_collector *f)
{
	put_note(f, OP_USER_ENTER);
}

void fake_anon(struct fake_collector *f, op_word start, op_word end, const char *name)
{
	fake_cookie(f, OP_NO_COOKIE);
	put_note(f, OP_ANON_MAP);
	fake_put(f, start);
	fake_put(f, end);
	put_text(f, name, OP_ANON_NAME_WORDS);
}

void fake_stack(struct fake_collector *f)
{
	put_note(f, OP_TRACE_BEGIN);
}

void fake_caller(struct fake_collector *f, op_word address)
{
	fake_put(f, address);
	fake_put(f, 0);
}

void fake_stack_end(struct fake_collector *f, unsigned int end)
{
	put_note(f, OP_STACK_END);
	fake_put(f, end);
}

void fake_want_table(struct fake_collector *f, op_word cookie)
{
	put_note(f, OP_WANT_TABLE);
	fake_put(f, cookie);
}

void fake_cookie_end(struct fake_collector *f, op_word cookie)
{
	put_note(f, OP_COOKIE_END);
	fake_put(f, cookie);
}

void fake_module(struct fake_collector *f, bool loaded, op_word start, op_word size,
		 const char *name)
{
	put_note(f, OP_MODULE_RANGE);
	fake_put(f, loaded);
	fake_put(f, start);
	fake_put(f, size);
	put_text(f, name, OP_MODULE_NAME_WORDS);
	put_note(f, OP_MODULE_LOADED);
}
