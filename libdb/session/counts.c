// SPDX-License-Identifier: GPL-2.0-or-later
/* counts.c - stats/counts: where every sample went, per CPU [SS-20] */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/session.h"
#include "libdb/session/text_file.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define COUNTS_LIMIT	(COUNTS_MAX_CPUS * 1024)

static const struct {
	const char *name, *text;
} reasons[NR_LOSS_REASONS] = {
	[LOST_CPU_BUFFER] = { "cpu_buffer_overflow", "the CPU's sample buffer was full" },
	[LOST_EVENT_BUFFER] = { "event_buffer_overflow",
				"the event buffer was full: the daemon was too slow" },
	[LOST_RING] = { "ring_overflow", "the perf ring was full: the daemon was too slow" },
	[LOST_NO_MM] = { "no_mm", "the task's memory map was not available" },
	[LOST_NO_MAPPING] = { "no_mapping", "the address was outside the task's mappings" },
	[LOST_INVALID_PC] = { "invalid_pc", "the address was equal to the escape code" },
	[LOST_NO_MODE] = { "no_mode", "the sample was neither in kernel nor in user mode" },
	[LOST_KERNEL_RANGE] = { "kernel_range", "the address was outside all known kernel images" },
	[LOST_UNKNOWN_IMAGE] = { "unknown_image", "the image's file was unknown" },
	[LOST_NO_APP] = { "no_app", "a kernel sample of a task without application" },
	[LOST_SAMPLE_FILE] = { "sample_file", "the sample file could not be opened or extended" },
	[LOST_STREAM] = { "stream", "the stream of samples was malformed" },
	[LOST_LIMIT] = { "limit", "a process or the session reached its limit of mappings or "
				  "files" },
	[LOST_UNREAD] = { "unread", "the daemon stopped because it could not read them" },
	[LOST_STALE_MAPPINGS] = { "stale_mappings", "changes of the task's mappings were lost" },
	[LOST_IN_BPF] = { "in_bpf", "the sample interrupted another BPF program" },
	[LOST_THREAD_BLOCKED] = { "thread_blocked", "the thread blocked the signal" },
	[LOST_THREAD_NOT_RUN] = { "thread_not_run", "the thread did not run in time" },
	[LOST_THREAD_GONE] = { "thread_gone", "the thread had exited" },
	[LOST_THREAD_REFUSED] = { "thread_refused", "the thread's stack could not be read" },
	[LOST_SAMPLER_MEMORY] = { "sampler_memory", "there were too many distinct stacks" },
	[LOST_SAMPLER_LATE] = { "sampler_late", "the sampling thread was late" },
};

const char *loss_name(enum loss_reason reason)
{
	return (unsigned int)reason < NR_LOSS_REASONS ? reasons[reason].name : "unknown";
}

const char *loss_text(enum loss_reason reason)
{
	return (unsigned int)reason < NR_LOSS_REASONS ? reasons[reason].text :
							"unknown reason";
}

const char *losses_advice(const uint64_t *lost, uint64_t received)
{
	static const struct {
		enum loss_reason reason;
		const char *text;
	} advice[] = {
		{ LOST_RING, "sample less often, or leave the daemon more CPU time" },
		{ LOST_EVENT_BUFFER, "sample less often, or set a larger --buffer-size" },
		{ LOST_CPU_BUFFER, "sample less often, or set a larger --cpu-buffer-size" },
		{ LOST_SAMPLER_LATE, "sample less often, or leave the program more CPU time" },
	};
	size_t most = 0;

	for (size_t i = 1; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (lost[advice[i].reason] > lost[advice[most].reason])
			most = i;
	return lost[advice[most].reason] > received / LOSS_SHARE ? advice[most].text : NULL;
}

_Static_assert((int)COUNTS_STACK_ENDS == NR_STACK_ENDS, "session.h counts each kind of end");

const char *counts_stack_end_name(unsigned int end)
{
	return end < NR_STACK_ENDS ? stack_end_name(end) : NULL;
}

const char *counts_stack_end_text(unsigned int end)
{
	return end < NR_STACK_ENDS ? stack_end_text(end) : NULL;
}

/* The names of numbers that are left out when they are 0. */
static const struct {
	const char *name;
	size_t at;			/* in struct cpu_counts */
} optional[] = {
	{ "idle", offsetof(struct cpu_counts, idle) },
	{ "disturbed", offsetof(struct cpu_counts, disturbed) },
	{ "event_errors", offsetof(struct cpu_counts, event_errors) },
	{ "extended", offsetof(struct cpu_counts, extended) },
	{ "stacks_guessed", offsetof(struct cpu_counts, stacks_guessed) },
	{ "stacks_interpreter", offsetof(struct cpu_counts, stacks_interpreter) },
	{ "stacks_lost", offsetof(struct cpu_counts, stacks_lost) },
	{ "arcs_lost", offsetof(struct cpu_counts, arcs_lost) },
	{ "jit.refused", offsetof(struct cpu_counts, jit_refused) },
	{ "jit.damaged", offsetof(struct cpu_counts, jit_damaged) },
};

#define NR_OPTIONAL (sizeof(optional) / sizeof(optional[0]))

static uint64_t *optional_count(struct cpu_counts *c, size_t i)
{
	return (uint64_t *)((char *)c + optional[i].at);
}

static uint64_t optional_value(const struct cpu_counts *c, size_t i)
{
	return *(const uint64_t *)((const char *)c + optional[i].at);
}

static void add_unless_0(struct strbuf *out, const char *prefix, const char *name, uint64_t count)
{
	if (count)
		strbuf_addf(out, " %s%s %" PRIu64, prefix, name, count);
}

static void add_cpu(struct strbuf *out, unsigned int number, const struct cpu_counts *c)
{
	strbuf_addf(out, "cpu %u received %" PRIu64 " recorded %" PRIu64 " throttled %" PRIu64
		    " filtered %" PRIu64, number, c->received, c->recorded, c->throttled,
		    c->filtered);
	for (size_t i = 0; i < NR_OPTIONAL; i++)
		add_unless_0(out, "", optional[i].name, optional_value(c, i));
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		add_unless_0(out, "lost.", reasons[i].name, c->lost[i]);
	for (int i = 0; i < COUNTS_STACK_ENDS; i++)
		add_unless_0(out, "stacks.", counts_stack_end_name(i), c->stacks[i]);
	strbuf_add_char(out, '\n');
}

int session_counts_write(const char *stats_dir, const struct session_counts *counts)
{
	struct strbuf out = STRBUF_INIT;
	char *path;
	int err;

	if (counts->nr_cpus > COUNTS_MAX_CPUS)
		return -EINVAL;
	strbuf_addf(&out, "cpus %u\n", counts->nr_cpus);
	for (unsigned int i = 0; i < counts->nr_cpus; i++)
		add_cpu(&out, i, &counts->cpu[i]);
	path = path_join(stats_dir, SESSION_COUNTS_FILE);
	err = file_write_reserved(path, out.text, out.len, 0644);
	free(path);
	strbuf_free(&out);
	return err;
}

static bool is_named(const char *key, const char *prefix, const char *name)
{
	size_t n = strlen(prefix);

	return !strncmp(key, prefix, n) && !strcmp(key + n, name);
}

/* The number called @key; NULL: a name of a later version. */
static uint64_t *find_count(struct cpu_counts *c, const char *key)
{
	if (!strcmp(key, "received"))
		return &c->received;
	if (!strcmp(key, "recorded"))
		return &c->recorded;
	if (!strcmp(key, "throttled"))
		return &c->throttled;
	if (!strcmp(key, "filtered"))
		return &c->filtered;
	for (size_t i = 0; i < NR_OPTIONAL; i++)
		if (!strcmp(key, optional[i].name))
			return optional_count(c, i);
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		if (is_named(key, "lost.", reasons[i].name))
			return &c->lost[i];
	for (int i = 0; i < COUNTS_STACK_ENDS; i++)
		if (is_named(key, "stacks.", counts_stack_end_name(i)))
			return &c->stacks[i];
	return NULL;
}

/* "cpu N key value key value ..." of CPU @number; NULL or what is wrong. */
static const char *parse_cpu(char *line, unsigned int number, struct cpu_counts *ret)
{
	const char *word = text_next_word(&line), *key;
	uint64_t value;

	if (!word || strcmp(word, "cpu"))
		return "expected 'cpu N ...'";
	if (!text_parse_decimal(text_next_word(&line), &value) || value != number)
		return "expected the number of the next CPU";
	while ((key = text_next_word(&line))) {
		uint64_t *count = find_count(ret, key);

		if (!text_parse_decimal(text_next_word(&line), &value))
			return "expected a decimal number after each name";
		if (count)
			*count = value;
	}
	return line ? "trailing blank" : NULL;
}

/* "cpus N" */
static const char *parse_nr_cpus(char *line, unsigned int *ret)
{
	const char *word = text_next_word(&line);
	uint64_t nr;

	if (!word || strcmp(word, "cpus") || !text_parse_decimal(text_next_word(&line), &nr) ||
	    line)
		return "expected 'cpus N'";
	if (nr > COUNTS_MAX_CPUS)
		return "too many CPUs";
	*ret = (unsigned int)nr;
	return NULL;
}

struct parsed {
	struct session_counts counts;	/* without CPUs before the first line */
	unsigned int nr;		/* CPUs parsed so far */
};

static const char *parse_line(void *context, char *line)
{
	struct parsed *p = context;
	const char *wrong;

	if (!p->counts.cpu) {
		wrong = parse_nr_cpus(line, &p->counts.nr_cpus);
		if (!wrong)
			p->counts.cpu = xcalloc(p->counts.nr_cpus, sizeof(*p->counts.cpu));
		return wrong;
	}
	if (p->nr == p->counts.nr_cpus)
		return "more CPUs than the first line announces";
	wrong = parse_cpu(line, p->nr, &p->counts.cpu[p->nr]);
	p->nr++;
	return wrong;
}

int session_counts_parse(char *text, size_t len, const char *name, struct session_counts *ret,
			 struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_REFUSED, 0 };
	struct parsed p = { .nr = 0 };
	int err = text_each_line(&lines, parse_line, &p, e);

	if (!err && (!p.counts.cpu || p.nr != p.counts.nr_cpus))
		err = text_error(&lines, p.counts.cpu ? "fewer CPUs than the first line announces" :
							"expected 'cpus N'", e);
	if (err)
		free(p.counts.cpu);
	else
		*ret = p.counts;
	return err;
}

int session_counts_read_e(const char *stats_dir, struct session_counts *ret, struct op_error *e)
{
	char *path = path_join(stats_dir, SESSION_COUNTS_FILE), *text;
	size_t len;
	int err = file_read_all(path, COUNTS_LIMIT, &text, &len);

	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	} else {
		err = session_counts_parse(text, len, path, ret, e);
		free(text);
	}
	free(path);
	return err;
}

int session_counts_read(const char *stats_dir, struct session_counts *ret)
{
	return session_counts_read_e(stats_dir, ret, NULL);
}

/* struct cpu_counts is an array of 64-bit numbers. */
_Static_assert(sizeof(struct cpu_counts) % sizeof(uint64_t) == 0, "numbers only");

void cpu_counts_add(struct cpu_counts *a, const struct cpu_counts *b)
{
	uint64_t *to = (uint64_t *)a;
	const uint64_t *from = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / sizeof(*to); i++)
		to[i] += from[i];
}

void cpu_counts_subtract(struct cpu_counts *a, const struct cpu_counts *b)
{
	uint64_t *to = (uint64_t *)a;
	const uint64_t *from = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / sizeof(*to); i++)
		to[i] = to[i] > from[i] ? to[i] - from[i] : 0;
}

void session_counts_total(const struct session_counts *counts, struct cpu_counts *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (unsigned int i = 0; i < counts->nr_cpus; i++)
		cpu_counts_add(ret, &counts->cpu[i]);
}

uint64_t cpu_counts_accounted(const struct cpu_counts *c)
{
	uint64_t sum = c->recorded + c->filtered + c->idle;

	for (int r = 0; r < NR_LOSS_REASONS; r++)
		sum += c->lost[r];
	return sum;
}

void session_counts_reserve(struct session_counts *c, unsigned int nr_cpus)
{
	if (nr_cpus <= c->nr_cpus)
		return;
	c->cpu = xrealloc_array(c->cpu, nr_cpus, sizeof(*c->cpu));
	memset(c->cpu + c->nr_cpus, 0, (nr_cpus - c->nr_cpus) * sizeof(*c->cpu));
	c->nr_cpus = nr_cpus;
}

void session_counts_add(struct session_counts *a, const struct session_counts *b)
{
	session_counts_reserve(a, b->nr_cpus);
	for (unsigned int i = 0; i < b->nr_cpus; i++)
		cpu_counts_add(&a->cpu[i], &b->cpu[i]);
}

void session_counts_subtract(struct session_counts *a, const struct session_counts *b)
{
	session_counts_reserve(a, b->nr_cpus);
	for (unsigned int i = 0; i < b->nr_cpus; i++)
		cpu_counts_subtract(&a->cpu[i], &b->cpu[i]);
}

void session_counts_free(struct session_counts *c)
{
	free(c->cpu);
	*c = (struct session_counts){ 0 };
}
