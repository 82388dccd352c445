// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write a profile in the form of perf script's output
 *
 * Rules: doc/perf-script.md [PS-6]..[PS-8].
 */
#include "formats/perf_script/perf_script.h"

#include <inttypes.h>
#include <string.h>

#define RECORDS_MAX	1000000		/* with more samples, one record for each stack */
#define NS_PER_SECOND	1000000000u

struct task {
	const char *comm;
	int64_t pid, tid, cpu;		/* -1: unknown */
};

static struct task find_task(const struct profile *p, uint32_t set)
{
	struct task task = { .comm = "", .pid = -1, .tid = -1, .cpu = -1 };

	for (uint32_t i = 0; i < p->label_sets[set].nr; i++) {
		const struct profile_label *l = &p->labels[p->label_sets[set].first + i];
		const char *key = profile_text(p, l->key);

		if (!strcmp(key, "comm"))
			task.comm = profile_text(p, l->text);
		else if (!strcmp(key, "pid"))
			task.pid = l->number;
		else if (!strcmp(key, "tid"))
			task.tid = l->number;
		else if (!strcmp(key, "cpu"))
			task.cpu = l->number;
	}
	return task;
}

/* Replace what would end a line or a field. [PS-8] */
static void put_name(const char *name, FILE *out)
{
	for (; *name; name++)
		putc((unsigned char)*name < ' ' ? '?' : *name, out);
}

static void write_symbol(const char *name, const char *image, FILE *out)
{
	putc(' ', out);
	put_name(name, out);
	fputs(" (", out);
	put_name(image, out);
	fputs(")\n", out);
}

static const char *image_name(const struct profile *p, uint32_t image)
{
	const char *path = image == PROFILE_NONE ? ""
						 : profile_text(p, p->images[image].path);

	return *path ? path : "[unknown]";
}

static const char *function_name(const struct profile *p, uint32_t line)
{
	const char *name = profile_text(p, p->functions[p->lines[line].function].name);

	return *name ? name : "[unknown]";
}

static bool is_kernel(const struct profile *p, uint32_t place)
{
	uint32_t image = p->places[place].image;

	return image != PROFILE_NONE && (p->images[image].kind == PROFILE_KERNEL ||
					 p->images[image].kind == PROFILE_KERNEL_MODULE);
}

/* The addresses of callers are return addresses. [PS-3] */
static void write_place(const struct profile *p, uint32_t id, bool is_caller, FILE *out)
{
	const struct profile_place *place = &p->places[id];
	const struct profile_line_list lines = p->line_lists[place->lines];
	uint64_t address = place->address + is_caller;

	for (uint32_t i = 0; i + 1 < lines.nr; i++) {
		fprintf(out, "\t%16" PRIx64, address);
		write_symbol(function_name(p, lines.first + i), "inlined", out);
	}
	fprintf(out, "\t%16" PRIx64, address);
	write_symbol(lines.nr ? function_name(p, lines.first + lines.nr - 1) : "[unknown]",
		     image_name(p, place->image), out);
}

/* Readers recognize events that count time by their names. [PS-4] */
static const char *event_name(const struct profile *p, uint32_t event)
{
	const char *name = profile_text(p, p->events[event].name);

	return !strcmp(name, "cpu") && !strcmp(profile_text(p, p->events[event].unit),
					       "nanoseconds") ? "cpu-clock" : name;
}

static void write_record(const struct profile *p, uint32_t sample, uint32_t event,
			 uint64_t period, uint64_t time_ns, FILE *out)
{
	struct task task = find_task(p, p->samples[sample].labels);
	uint32_t node = p->samples[sample].node;

	put_name(*task.comm ? task.comm : "all", out);
	putc(' ', out);
	if (task.pid >= 0)
		fprintf(out, "%" PRId64 "/", task.pid);
	fprintf(out, "%" PRId64, task.tid >= 0 ? task.tid : task.pid >= 0 ? task.pid : 0);
	if (task.cpu >= 0)
		fprintf(out, " [%03" PRId64 "]", task.cpu);
	fprintf(out, " %" PRIu64 ".%09" PRIu64 ": %10" PRIu64 " ", time_ns / NS_PER_SECOND,
		time_ns % NS_PER_SECOND, period);
	for (const char *c = event_name(p, event); *c; c++)
		putc((unsigned char)*c <= ' ' ? '_' : *c, out);
	fputs(": \n", out);
	for (uint32_t before = PROFILE_NONE; node != PROFILE_NONE;
	     node = p->tree.nodes[node].parent) {
		uint32_t place = p->tree.nodes[node].key;

		write_place(p, place, before != PROFILE_NONE &&
			    (is_kernel(p, place) || !is_kernel(p, before)), out);
		before = place;
	}
	putc('\n', out);
}

static uint64_t count_records(const struct profile *p)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		for (uint32_t k = 0; k < p->nr_events; k++) {
			int64_t value = p->events[k].period ? profile_values(p, i)[k] : 1;

			if (__builtin_add_overflow(total, (uint64_t)(value > 0 ? value : 0),
						   &total))
				return UINT64_MAX;
		}
	return total;
}

/* Write a record for each sample or, if they are too many or amounts, for each stack. [PS-6] */
static uint64_t write_value(const struct profile *p, uint32_t sample, uint32_t event, bool is_each,
			    uint64_t time_ns, FILE *out)
{
	int64_t value = profile_values(p, sample)[event];
	uint64_t period = p->events[event].period, whole;

	if (value <= 0)
		return time_ns;
	if (!period || !is_each) {
		if (__builtin_mul_overflow((uint64_t)value, period ? period : 1, &whole))
			whole = UINT64_MAX;
		write_record(p, sample, event, whole, time_ns, out);
		return time_ns + 1000;
	}
	while (value--) {
		write_record(p, sample, event, period, time_ns, out);
		time_ns += 1000;
	}
	return time_ns;
}

int perf_script_write(const struct profile *p, const struct format_write_options *options,
		      FILE *out, struct op_error *e)
{
	bool is_each = count_records(p) <= RECORDS_MAX;
	uint64_t time_ns = 0;

	(void)e;
	if (!is_each)
		format_warn(options->warnings, "more than %d samples: wrote one record for each "
			    "stack, whose period is the sum", RECORDS_MAX);
	for (uint32_t i = 0; i < p->nr_samples && !ferror(out); i++)
		for (uint32_t event = 0; event < p->nr_events; event++)
			time_ns = write_value(p, i, event, is_each, time_ns, out);
	return 0;
}
