// SPDX-License-Identifier: GPL-2.0-or-later
/* profile_print.c - profiles as text, and a made-up one */
#include "tests/profile_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

static bool is_sampled(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (p->events[i].period)
			return true;
	return false;
}

static uint32_t event_of_column(const struct profile *p, uint32_t column)
{
	return is_sampled(p) ? p->nr_events - 1 - column : column;
}

static void print_types(const struct profile *p, FILE *out)
{
	if (is_sampled(p))
		fprintf(out, "type samples/count\n");
	for (uint32_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[event_of_column(p, i)];

		fprintf(out, "type %s/%s\n", profile_text(p, e->name), profile_text(p, e->unit));
	}
}

static void print_image(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_image *i = &p->images[index];

	fprintf(out, "mapping 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %s %s\n", i->start,
		i->limit, i->offset, profile_text(p, i->path), profile_text(p, i->build_id));
}

static void print_images(const struct profile *p, FILE *out)
{
	if (p->main_image != PROFILE_NONE)
		print_image(p, p->main_image, out);
	for (uint32_t i = 0; i < p->nr_images; i++)
		if (i != p->main_image)
			print_image(p, i, out);
}

static void print_values(const struct profile *p, const int64_t *values, FILE *out)
{
	int64_t samples = 0;

	for (uint32_t i = 0; i < p->nr_events; i++)
		samples += p->events[i].period ? values[i] : 0;
	if (is_sampled(p))
		fprintf(out, " %" PRId64, samples);
	for (uint32_t i = 0; i < p->nr_events; i++) {
		uint32_t event = event_of_column(p, i);
		uint64_t period = p->events[event].period;

		fprintf(out, " %" PRId64, values[event] * (period ? (int64_t)period : 1));
	}
}

static char *label_text(const struct profile *p, const struct profile_label *l)
{
	if (l->text)
		return xasprintf("%s=%s", profile_text(p, l->key), profile_text(p, l->text));
	return xasprintf("%s=%" PRId64 " %s", profile_text(p, l->key), l->number,
			 profile_text(p, l->unit));
}

static void print_labels(const struct profile *p, uint32_t set, FILE *out)
{
	const struct profile_labels *s = &p->label_sets[set];
	char **words = xmalloc((s->nr + 1) * sizeof(*words));

	for (uint32_t i = 0; i < s->nr; i++)
		words[i] = label_text(p, &p->labels[s->first + i]);
	qsort(words, s->nr, sizeof(*words), compare_texts);
	fputs(" |", out);
	for (uint32_t i = 0; i < s->nr; i++) {
		fprintf(out, "%s %s", i ? "," : "", words[i]);
		free(words[i]);
	}
	fputs(" |", out);
	free(words);
}

static void print_place(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_place *place = &p->places[index];
	const struct profile_line_list lines = p->line_lists[place->lines];

	fprintf(out, " 0x%" PRIx64 "@%s[", place->address, place->image == PROFILE_NONE ? "" :
		profile_text(p, p->images[place->image].path));
	for (uint32_t i = 0; i < lines.nr; i++) {
		const struct profile_line *l = &p->lines[lines.first + i];
		const struct profile_function *f = &p->functions[l->function];

		fprintf(out, "%s%s %s %s:%" PRIu32 ":%" PRIu32, i ? ", " : "",
			profile_text(p, f->name), profile_text(p, f->system_name),
			profile_text(p, f->file), f->start_line, l->line);
	}
	fputs("]", out);
}

void profile_print(const struct profile *p, FILE *out)
{
	print_types(p, out);
	print_images(p, out);
	fprintf(out, "time %" PRId64 " %" PRId64 "\n", p->start_ns, p->duration_ns);
	for (uint32_t i = 0; i < p->nr_comments; i++)
		fprintf(out, "comment %s\n", profile_text(p, p->comments[i]));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct profile_sample *s = &p->samples[i];

		fputs("sample", out);
		print_values(p, p->values + (size_t)i * p->nr_events, out);
		print_labels(p, s->labels, out);
		for (uint32_t n = s->node; n != PROFILE_NONE; n = p->tree.nodes[n].parent)
			print_place(p, p->tree.nodes[n].key, out);
		fputc('\n', out);
	}
}

/* As perf script has it: an offset in a file, an address elsewhere. */
static void print_offset(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_place *place = &p->places[index];
	const struct profile_image *i = place->image == PROFILE_NONE ? NULL
								    : &p->images[place->image];
	bool is_kernel = i && (i->kind == PROFILE_KERNEL || i->kind == PROFILE_KERNEL_MODULE);

	fprintf(out, " 0x%" PRIx64 "@%s", i && i->limit && !is_kernel
		? profile_offset(i, place->address) : place->address,
		i ? profile_text(p, i->path) : "");
}

void profile_print_offsets(const struct profile *p, FILE *out)
{
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct profile_sample *s = &p->samples[i];

		for (uint32_t k = 0; k < p->nr_events; k++)
			if (profile_values(p, i)[k])
				fprintf(out, "%s %" PRId64, profile_text(p, p->events[k].name),
					profile_values(p, i)[k]);
		print_labels(p, s->labels, out);
		for (uint32_t n = s->node; n != PROFILE_NONE; n = p->tree.nodes[n].parent)
			print_offset(p, p->tree.nodes[n].key, out);
		fputc('\n', out);
	}
}

char *profile_printed(const struct profile *p)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	profile_print(p, out);
	fclose(out);
	return text;
}

static uint32_t image(struct profile *p, enum profile_image_kind kind, const char *path,
		      const char *build_id, uint64_t start, uint64_t limit, uint64_t offset)
{
	struct profile_image i = { .kind = kind, .start = start, .limit = limit, .offset = offset };

	i.path = profile_string(p, path);
	i.build_id = profile_string(p, build_id);
	return profile_add_image(p, &i);
}

static struct profile_line line(struct profile *p, const char *name, const char *file,
				uint32_t start, uint32_t number)
{
	char *mangled = xasprintf("_Z%zu%s", strlen(name), name);
	struct profile_function f = { .start_line = start };

	f.name = profile_string(p, name);
	f.system_name = profile_string(p, mangled);
	f.file = profile_string(p, file);
	free(mangled);
	return (struct profile_line){ profile_function(p, &f), number };
}

static uint32_t labels(struct profile *p, int64_t pid, const char *comm)
{
	struct profile_label all[] = {
		{ .key = profile_string(p, "pid"), .number = pid },
		{ .key = profile_string(p, "tid"), .number = pid + 1 },
		{ .key = profile_string(p, "comm"), .text = profile_string(p, comm) },
		{ .key = profile_string(p, "cgroup"), .text = profile_string(p, "/a.slice/b-c") },
		{ .key = profile_string(p, "latency"), .number = -7,
		  .unit = profile_string(p, "microseconds") },
	};

	return profile_label_set(p, all, sizeof(all) / sizeof(all[0]));
}

static void sample(struct profile *p, const uint32_t *places, size_t nr, uint32_t set,
		   int64_t cycles, int64_t misses)
{
	int64_t *values = profile_add_sample(p, profile_stack(p, places, nr), set);

	values[0] = cycles;
	values[1] = misses;
}

/* Two processes, the kernel, an inlined call, made code, a cut stack, an empty one. */
static void add_samples(struct profile *p, uint32_t libc, uint32_t program, uint32_t kernel,
			uint32_t jit)
{
	struct profile_line inlined[] = {
		line(p, "inner<int>", "/src/a file.h", 3, 7), line(p, "outer", "/src/o.c", 10, 12),
	};
	struct profile_line lines[] = {
		line(p, "memcpy", "", 0, 0), line(p, "main", "/src/o.c", 20, 33),
		line(p, "do_syscall_64", "", 0, 0), line(p, "js:\xc3\xa9t\xc3\xa9", "x.js", 1, 2),
		line(p, "[cut at the depth asked for]", "", 0, 0),
	};
	uint32_t copy = profile_place(p, libc, 0x7f0000012345, &lines[0], 1);
	uint32_t hot = profile_place(p, program, 0x401234, inlined, 2);
	uint32_t start = profile_place(p, program, 0x401fff, &lines[1], 1);
	uint32_t entry = profile_place(p, kernel, 0xffffffff81000100, &lines[2], 1);
	uint32_t made = profile_place(p, jit, 0x7e0000000010, &lines[3], 1);
	uint32_t bare = profile_place(p, libc, 0x7f0000013000, NULL, 0);
	uint32_t cut = profile_place(p, PROFILE_NONE, 0, &lines[4], 1);
	uint32_t first = labels(p, 100, "a program"), second = labels(p, 200, "other");

	sample(p, (uint32_t[]){ copy, hot, start }, 3, first, 17, 0);
	sample(p, (uint32_t[]){ hot, start }, 2, first, 100, 3);
	sample(p, (uint32_t[]){ entry, copy, hot, start }, 4, first, 5, 1);
	sample(p, (uint32_t[]){ made, bare }, 2, second, 1, 1);
	sample(p, (uint32_t[]){ hot, hot, hot, cut }, 4, second, 2, 0);
	sample(p, (uint32_t[]){ entry }, 1, 0, 3, 0);
	sample(p, NULL, 0, second, 4, 0);
}

struct profile *profile_made(void)
{
	struct profile *p = profile_new();
	struct profile_event cycles = { .period = 100000 }, misses = { .period = 2003,
								       .unit_mask = 0x41 };
	uint32_t libc, program, kernel, jit;

	cycles.name = profile_string(p, "CPU_CLK_UNHALTED");
	misses.name = profile_string(p, "LLC_MISSES");
	cycles.unit = misses.unit = profile_string(p, "count");
	profile_add_event(p, &cycles);
	profile_add_event(p, &misses);
	libc = image(p, PROFILE_FILE, "/usr/lib/libc.so.6", "0011aaff", 0x7f0000010000,
		     0x7f0000020000, 0x10000);
	program = image(p, PROFILE_FILE, "/opt/my app/program", "c0ffee", 0x401000, 0x402000,
			0x1000);
	kernel = image(p, PROFILE_KERNEL, "[kernel.kallsyms]", "77", 0xffffffff81000000,
		       0xffffffff82000000, 0);
	image(p, PROFILE_KERNEL_MODULE, "[ext4]", "", 0xffffffffc0000000, 0xffffffffc0010000, 0);
	image(p, PROFILE_ANON, "[vdso]", "", 0x7fff00000000, 0x7fff00002000, 0);
	jit = image(p, PROFILE_JIT, "", "", 0x7e0000000000, 0x7e0000001000, 0);
	p->main_image = program;
	p->start_ns = 1800000000123456789;
	p->duration_ns = 10000000000;
	profile_comment(p, "made up");
	profile_comment(p, "and said twice");
	add_samples(p, libc, program, kernel, jit);
	return p;
}
