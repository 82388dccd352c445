/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - number the images and functions that are used, and write them [PI-9] */
#include "pp/picture/json.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/json_text.h"
#include "libutil/xalloc.h"
#include "pp/binary/shorten_name.h"
#include "pp/report/format/json.h"

#define NAME_BYTES	4000	/* longer names are truncated; templates can make megabytes */

struct writer {
	const struct picture_report *report;
	const struct picture *picture;
	struct json json;
	int64_t *symbols, *images;	/* numbers in the page, or -1 */
};

/* --- numbering --- */

static void use_image(struct writer *w, uint32_t image)
{
	if (image != PICTURE_NONE)
		w->images[image] = 0;
}

static void use_symbol(struct writer *w, uint32_t symbol)
{
	w->symbols[symbol] = 0;
	use_image(w, w->picture->symbols[symbol].image);
}

static void number(int64_t *used, size_t nr)
{
	int64_t next = 0;

	for (size_t i = 0; i < nr; i++)
		if (!used[i])
			used[i] = next++;
}

static void number_all(struct writer *w)
{
	const struct picture *p = w->picture;
	const struct picture_sources *s = w->report->sources;

	w->symbols = xmalloc((p->nr_symbols + 1) * sizeof(*w->symbols));
	w->images = xmalloc((p->nr_images + 1) * sizeof(*w->images));
	memset(w->symbols, 0xff, (p->nr_symbols + 1) * sizeof(*w->symbols));
	memset(w->images, 0xff, (p->nr_images + 1) * sizeof(*w->images));
	for (size_t i = 0; i < p->tree.nr; i++)
		if (p->tree.nodes[i].parent != PICTURE_NONE)
			use_symbol(w, p->tree.nodes[i].key);
	for (size_t i = 0; i < p->nr_rows; i++)
		use_symbol(w, p->rows[i].symbol);
	for (size_t i = 0; i < s->nr; i++)
		use_symbol(w, s->sources[i].symbol);
	for (size_t i = 0; i < p->nr_groups; i++)
		use_image(w, p->groups[i].app);
	number(w->symbols, p->nr_symbols);
	number(w->images, p->nr_images);
}

static int64_t image_number(const struct writer *w, uint32_t image)
{
	return image == PICTURE_NONE ? -1 : w->images[image];
}

/* --- members --- */

static void put_name(struct json *j, const char *name, const char *text)
{
	char cut[NAME_BYTES + sizeof("…")];
	size_t len = NAME_BYTES;

	if (strlen(text) <= NAME_BYTES) {
		json_text(j, name, text);
		return;
	}
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	memcpy(cut, text, len);
	strcpy(cut + len, "…");
	json_text(j, name, cut);
}

static void put_sessions(struct writer *w)
{
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "sessions", '[');
	for (size_t i = 0; i < w->picture->nr_profiles; i++) {
		json_open(j, NULL, '[');
		for (size_t k = 0; k < w->report->sessions[i]->nr; k++)
			json_session(j, &w->report->sessions[i]->sessions[k]);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_notices(struct writer *w)
{
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "notices", '[');
	for (size_t i = 0; i < w->report->notices->nr; i++) {
		if (!notice_is_listed(w->report->notices, i))
			continue;
		json_line(j);
		json_text(j, NULL, w->report->notices->texts[i]);
	}
	json_close(j, ']');
}

/* How stacks ended, complete ones first. */
static void put_quality(struct writer *w)
{
	const struct stack_quality *q = w->report->quality;
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "ends", '[');
	for (unsigned int i = 0; i < NR_STACK_ENDS; i++) {
		if (!q->ends[i])
			continue;
		json_open(j, NULL, '[');
		json_text(j, NULL, stack_end_text(i));
		json_number(j, NULL, q->ends[i]);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_number(j, "guessed", q->guessed);
	json_number(j, "lost", q->lost);
}

static void put_head(struct writer *w)
{
	const struct picture *p = w->picture;
	struct json *j = &w->json;

	json_line(j);
	json_text(j, "schema", "opreport-picture-1");
	json_line(j);
	json_text(j, "title", w->report->title);
	json_text(j, "command", w->report->command);
	json_text(j, "version", OP_VERSION);
	json_bool(j, "served", w->report->is_served);
	put_sessions(w);
	put_notices(w);
	json_line(j);
	json_bool(j, "stacks", p->has_stacks);
	json_number(j, "profiles", p->nr_profiles);
	json_open(j, "classes", '[');
	for (size_t c = 0; c < p->nr_classes; c++)
		put_name(j, NULL, p->titles[c]);
	json_close(j, ']');
	json_line(j);
	json_numbers(j, "totals", p->totals, p->nr_values);
	json_numbers(j, "samples", p->samples, p->nr_values);
	if (p->has_stacks)
		put_quality(w);
	json_line(j);
	json_number(j, "small_nodes", p->nr_small_nodes);
	json_numbers(j, "small_node_samples", p->small_nodes, p->nr_values);
	json_number(j, "small_rows", p->nr_small_rows);
	json_numbers(j, "small_row_samples", p->small_rows, p->nr_values);
}

/* Brief names of symbols; null: the same [PI-15]. */
static void put_brief_names(struct writer *w)
{
	const struct picture *p = w->picture;
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "brief_names", '[');
	for (size_t i = 0; i < p->nr_symbols; i++) {
		char *brief;

		if (w->symbols[i] < 0)
			continue;
		brief = brief_name(p->symbols[i].name);
		if (strcmp(brief, p->symbols[i].name))
			put_name(j, NULL, brief);
		else
			json_text(j, NULL, NULL);
		free(brief);
	}
	json_close(j, ']');
}

static void put_names(struct writer *w)
{
	const struct picture *p = w->picture;
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "images", '[');
	for (size_t i = 0; i < p->nr_images; i++) {
		if (w->images[i] < 0)
			continue;
		json_line(j);
		put_name(j, NULL, p->images[i].shown);
		put_name(j, NULL, p->images[i].full);
	}
	json_close(j, ']');
	json_line(j);
	json_open(j, "symbols", '[');
	for (size_t i = 0; i < p->nr_symbols; i++) {
		if (w->symbols[i] < 0)
			continue;
		json_line(j);
		put_name(j, NULL, p->symbols[i].name);
		json_signed(j, NULL, image_number(w, p->symbols[i].image), INT64_MIN);
		json_number(j, NULL, p->symbols[i].kind);
	}
	json_close(j, ']');
	put_brief_names(w);
	json_line(j);
	json_open(j, "groups", '[');
	for (size_t i = 0; i < p->nr_groups; i++) {
		json_line(j);
		json_signed(j, NULL, image_number(w, p->groups[i].app), INT64_MIN);
		put_name(j, NULL, p->groups[i].cgroup);
		json_number(j, NULL, p->groups[i].is_small);
	}
	json_close(j, ']');
}

static void put_values(struct json *j, const uint64_t *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		json_number(j, NULL, values[i]);
}

static void put_tree(struct writer *w)
{
	const struct picture *p = w->picture;
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "nodes", '[');
	for (uint32_t i = 0; i < p->tree.nr; i++) {
		const struct call_node *n = &p->tree.nodes[i];
		bool is_root = n->parent == PICTURE_NONE;

		json_line(j);
		json_signed(j, NULL, is_root ? -1 : (int64_t)n->parent, INT64_MIN);
		json_signed(j, NULL, is_root ? (int64_t)n->key : w->symbols[n->key],
			    INT64_MIN);
		put_values(j, picture_self(p, i), p->nr_values);
	}
	json_close(j, ']');
	json_line(j);
	json_open(j, "rows", '[');
	for (size_t i = 0; i < p->nr_rows; i++) {
		json_line(j);
		json_number(j, NULL, p->rows[i].group);
		json_signed(j, NULL, w->symbols[p->rows[i].symbol], INT64_MIN);
		put_values(j, p->row_counts + p->rows[i].counts, 2 * p->nr_values);
	}
	json_close(j, ']');
}

/* Numbers in groups of four, without those that are 0 [PI-19]. */
static void put_times(struct writer *w)
{
	const struct picture_times *t = w->report->times;
	const size_t nr_classes = w->picture->nr_classes, nr = t->periods.nr;
	struct json *j = &w->json;

	if (!nr)
		return;
	json_line(j);
	json_open(j, "time", '{');
	json_number(j, "begin_ms", (uint64_t)t->periods.begin_ns / 1000000);
	json_number(j, "period_ms", (uint64_t)t->periods.period_ns / 1000000);
	json_number(j, "column", t->column);
	json_open(j, "covered_ms", '[');
	for (size_t i = 0; i < nr; i++)
		json_number(j, NULL, t->periods.covered_ns[i] / 1000000);
	json_close(j, ']');
	json_open(j, "samples", '[');
	for (size_t i = 0; i < t->nr_rows * nr; i++) {
		if (!t->samples[i])
			continue;
		json_line(j);
		json_number(j, NULL, i / nr / nr_classes);
		json_number(j, NULL, i / nr % nr_classes);
		json_number(j, NULL, i % nr);
		json_number(j, NULL, t->samples[i]);
	}
	json_close(j, ']');
	json_close(j, '}');
}

/* --- source --- */

static void put_line(struct json *j, const struct picture_sources *all,
		     const struct picture_line *line)
{
	json_line(j);
	json_open(j, NULL, '[');
	json_number(j, NULL, line->number);
	json_text(j, NULL, line->text);
	put_values(j, all->counts + line->counts, all->nr_classes);
	json_close(j, ']');
}

static void put_sources(struct writer *w)
{
	const struct picture_sources *all = w->report->sources;
	struct json *j = &w->json;

	json_line(j);
	json_open(j, "sources", '[');
	for (size_t i = 0; i < all->nr; i++) {
		const struct picture_source *s = &all->sources[i];

		json_line(j);
		json_open(j, NULL, '{');
		json_signed(j, "symbol", w->symbols[s->symbol], INT64_MIN);
		json_text(j, "file", s->file);
		json_text(j, "why", s->why);
		json_bool(j, "cut", s->is_cut);
		json_numbers(j, "elsewhere", all->counts + s->elsewhere, all->nr_classes);
		json_open(j, "lines", '[');
		for (size_t k = 0; k < s->nr; k++)
			put_line(j, all, &s->lines[k]);
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

void picture_json(const struct picture_report *report, FILE *out)
{
	struct writer w = { .report = report, .picture = report->picture, .json = { .out = out } };

	number_all(&w);
	json_open(&w.json, NULL, '{');
	put_head(&w);
	put_names(&w);
	put_tree(&w);
	put_times(&w);
	put_sources(&w);
	json_close(&w.json, '}');
	putc('\n', out);
	free(w.symbols);
	free(w.images);
}

void picture_json_in_page(const char *json, FILE *out)
{
	for (size_t nr; *json; json += nr) {
		nr = strcspn(json, "<>&\xe2");
		if (nr) {
			fwrite(json, 1, nr, out);
		} else if (!strncmp(json, "\xe2\x80", 2) && ((unsigned char)json[2] | 1) == 0xa9) {
			fprintf(out, "\\u20%02x", (unsigned char)json[2] - 0x80);
			nr = 3;
		} else {
			nr = 1;
			if (*json == '\xe2')
				putc(*json, out);
			else
				fprintf(out, "\\u%04x", (unsigned char)*json);
		}
	}
}
