// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write folded stacks: a line for each stack of functions
 *
 * Stacks of addresses are first converted to stacks of names, in a second profile that has nothing
 * else, so that stacks that differ only in addresses are merged. Rules: doc/folded.md [FO-n].
 */
#include "formats/folded/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/shown_frames.h"
#include "libutil/print_line.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

struct folded_writer {
	const struct profile *p;
	struct profile *names;		/* places are names, labels are names of processes */
	uint32_t *place_of;		/* of each shown frame */
	uint32_t *node_of;		/* of each node */
	uint32_t *labels_of;		/* of each label set, in @names */
	uint32_t unknown;		/* place */
};

/* Replace characters that have a meaning in a line. [FO-5] */
static uint32_t name_place(struct profile *names, const char *name, char mark)
{
	struct strbuf text = STRBUF_INIT;
	struct profile_line line;
	struct profile_function f = { 0 };

	while (*name == ' ')
		name++;
	plain_add_folded(&text, name);
	while (text.len && text.text[text.len - 1] == ' ')
		strbuf_truncate(&text, text.len - 1);
	if (!text.len)
		strbuf_add(&text, "[unknown]");
	if (mark)
		strbuf_addf(&text, "_[%c]", mark);
	f.name = profile_string_n(names, text.text, text.len);
	strbuf_free(&text);
	line = (struct profile_line){ profile_function(names, &f), 0 };
	return profile_place(names, PROFILE_NONE, 0, &line, 1);
}

static char find_mark(const struct profile *p, uint32_t image, bool inlined)
{
	enum profile_image_kind kind = image == PROFILE_NONE ? PROFILE_FILE
							      : p->images[image].kind;

	if (inlined)
		return FOLDED_INLINED;
	if (kind == PROFILE_KERNEL || kind == PROFILE_KERNEL_MODULE)
		return FOLDED_KERNEL;
	return kind == PROFILE_JIT ? FOLDED_JIT : 0;
}

static void fold_places(struct folded_writer *f, const struct shown_frames *shown)
{
	const struct profile *p = f->p;

	f->place_of = xcalloc((size_t)shown->first[p->nr_places] + 1, sizeof(*f->place_of));
	for (uint32_t i = 0; i < p->nr_places; i++)
		for (uint32_t k = shown->first[i]; k < shown->first[i + 1]; k++) {
			bool inlined = k + 1 < shown->first[i + 1];
			const struct shown_function *function =
				&shown->functions[shown->frames[k].function];

			f->place_of[k] = name_place(f->names, function->name,
						    find_mark(p, p->places[i].image, inlined));
		}
	f->unknown = name_place(f->names, "[unknown]", 0);
}

static void fold_nodes(struct folded_writer *f, const struct shown_frames *shown)
{
	const struct profile *p = f->p;

	f->node_of = xcalloc((size_t)p->tree.nr + 1, sizeof(*f->node_of));
	for (uint32_t i = 0; i < p->tree.nr; i++) {
		const struct call_node *node = &p->tree.nodes[i];
		uint32_t at = PROFILE_NONE;

		if (node->parent != PROFILE_NONE)
			at = f->node_of[node->parent];
		for (uint32_t k = shown->first[node->key + 1]; k-- > shown->first[node->key];)
			at = profile_node(f->names, at, f->place_of[k]);
		f->node_of[i] = at;
	}
}

static uint32_t place_name(const struct profile *names, uint32_t place)
{
	uint32_t line = names->line_lists[names->places[place].lines].first;

	return names->functions[names->lines[line].function].name;
}

/* The name of the process, which is the outermost frame, as a label set. [FO-5] */
static uint32_t fold_labels(struct folded_writer *f, uint32_t set)
{
	const struct profile_labels *labels = &f->p->label_sets[set];
	struct profile_label comm = { .key = profile_string(f->names, "comm") };

	for (uint32_t i = 0; i < labels->nr; i++) {
		const struct profile_label *label = &f->p->labels[labels->first + i];

		if (!label->text || strcmp(profile_text(f->p, label->key), "comm"))
			continue;
		comm.text = place_name(f->names,
				       name_place(f->names, profile_text(f->p, label->text), 0));
		return profile_label_set(f->names, &comm, 1);
	}
	return 0;
}

static void fold_samples(struct folded_writer *f, const struct format_write_options *options,
			 uint64_t *negative)
{
	const struct profile *p = f->p;
	uint32_t empty = profile_node(f->names, PROFILE_NONE, f->unknown);

	f->labels_of = xcalloc(p->nr_label_sets, sizeof(*f->labels_of));
	for (uint32_t i = 0; i < p->nr_label_sets; i++)
		f->labels_of[i] = fold_labels(f, i);
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct profile_sample *s = &p->samples[i];
		int64_t value = profile_values(p, i)[options->event];

		*negative += value < 0;
		if (value <= 0 || !profile_is_of_process(p, s->labels, options->pid))
			continue;
		profile_add_sample(f->names, s->node == PROFILE_NONE ? empty : f->node_of[s->node],
				   f->labels_of[s->labels])[0] = value;
	}
	profile_merge_samples(f->names);
}

static const char *node_name(const struct profile *names, uint32_t node)
{
	return profile_text(names, place_name(names, names->tree.nodes[node].key));
}

static void write_samples(const struct profile *names, FILE *out)
{
	uint32_t *stack = NULL;
	size_t room = 0;

	for (uint32_t i = 0; i < names->nr_samples; i++) {
		const struct profile_labels *set = &names->label_sets[names->samples[i].labels];
		const char *first;
		size_t nr = 0;

		for (uint32_t n = names->samples[i].node; n != PROFILE_NONE;
		     n = names->tree.nodes[n].parent) {
			xgrow(stack, nr, room);
			stack[nr++] = n;
		}
		first = set->nr ? profile_text(names, names->labels[set->first].text)
				: node_name(names, stack[nr - 1]);
		if (*first == '#')	/* otherwise it is a comment */
			putc(' ', out);
		if (set->nr)
			fprintf(out, "%s;", first);
		while (nr--)
			fprintf(out, "%s%c", node_name(names, stack[nr]), nr ? ';' : ' ');
		fprintf(out, "%" PRId64 "\n", profile_values(names, i)[0]);
	}
	free(stack);
}

int folded_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		 struct op_error *e)
{
	struct folded_writer f = { .p = p };
	struct shown_frames shown;
	uint64_t negative = 0;

	if (options->event >= p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	f.names = profile_new();
	profile_add_event(f.names, &(struct profile_event){ .period = 1 });
	shown_frames_make(p, &shown);
	fold_places(&f, &shown);
	fold_nodes(&f, &shown);
	fold_samples(&f, options, &negative);
	write_samples(f.names, out);
	if (negative)
		format_warn(options->warnings, "skipped %" PRIu64 " samples with negative counts",
			    negative);
	shown_frames_free(&shown);
	profile_free(f.names);
	free(f.place_of);
	free(f.node_of);
	free(f.labels_of);
	return 0;
}
