/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.c - draw a rectangle for each node, above its caller, as wide as it has samples
 *
 * Without its script the picture scales as a whole; with it, the frames scale and the text does
 * not. Colors are CSS classes of pp/picture/page/graph.css, which has light and dark ones.
 */
#include "pp/picture/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/utf8.h"
#include "libutil/xalloc.h"
#include "pp/binary/shorten_name.h"
#include "pp/picture/parts.h"
#include "pp/report/format/xml_text.h"

#define MARGIN		10
#define TOP		64	/* title, sessions, buttons */
#define BOTTOM		34	/* details of the frame below the pointer */
#define ROW		18
#define CHAR_WIDTH	6.7	/* of the font in pp/picture/page/graph.css, at most */
#define TITLE_WIDTH	560	/* in CHAR_WIDTH, which the title's characters exceed */
#define NR_SHADES	6

struct canvas {
	const struct picture_report *report;
	const struct picture *picture;
	FILE *out;
	size_t value;			/* that is drawn */
	double scale;			/* pixels of a sample */
	double *next_x;			/* per node: the position of its next child */
	uint32_t *depths;
	uint32_t height;		/* of the picture */
};

size_t picture_svg_class(const struct picture *p)
{
	for (size_t c = 0; c < p->nr_classes; c++)
		if (p->totals[(p->nr_profiles - 1) * p->nr_classes + c])
			return c;
	return 0;
}

/* "1,234,567" */
static void put_count(uint64_t n, FILE *out)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			putc(',', out);
		putc(digits[i], out);
	}
}

static void put_samples(uint64_t n, FILE *out)
{
	put_count(n, out);
	fputs(n == 1 ? " sample" : " samples", out);
}

static double percent_of(const struct picture *p, uint64_t n, size_t value)
{
	return p->totals[value] ? 100.0 * (double)n / (double)p->totals[value] : 0;
}

/* Share in the second profile minus that in the first, in points. */
static double change_of(const struct canvas *c, const uint64_t *all)
{
	size_t first = c->value - c->picture->nr_classes;

	return percent_of(c->picture, all[c->value], c->value) -
	       percent_of(c->picture, all[first], first);
}

/* --- one frame --- */

static const char *name_of(const struct picture *p, uint32_t node)
{
	const struct call_node *n = &p->tree.nodes[node];
	const struct picture_group *g;

	if (n->parent != PICTURE_NONE)
		return p->symbols[n->key].name;
	g = &p->groups[n->key];
	return g->is_small ? "[too small to be seen]"
	     : g->app != PICTURE_NONE ? p->images[g->app].shown
	     : p->nr_groups > 1 ? "[no application]" : "[all applications]";
}

/* One of NR_SHADES, by image and name. */
static unsigned int shade_of(const struct picture *p, uint32_t node)
{
	const struct call_node *n = &p->tree.nodes[node];
	uint32_t image = n->parent == PICTURE_NONE ? PICTURE_NONE : p->symbols[n->key].image;

	if (image == PICTURE_NONE)
		return 0;
	return (unsigned int)(hash_mix(hash_string(p->images[image].known_by),
				       hash_string(name_of(p, node))) % NR_SHADES);
}

static void put_class(const struct canvas *c, uint32_t node)
{
	static const double steps[] = { 0.05, 0.5, 2, 8 };
	const struct picture *p = c->picture;
	double change;
	int step = 0;

	if (p->nr_profiles == 1) {
		if (p->tree.nodes[node].parent == PICTURE_NONE)
			fputs("f root", c->out);
		else
			fprintf(c->out, "f k%u s%u", p->symbols[p->tree.nodes[node].key].kind,
				shade_of(p, node));
		return;
	}
	change = change_of(c, picture_all(p, node));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		step += (change < 0 ? -change : change) >= steps[i];
	fprintf(c->out, "f %s%d", change < 0 ? "less" : "more", step);
}

/* The tooltip. The script reads the name from its first line. */
static void put_title(const struct canvas *c, uint32_t node)
{
	const struct picture *p = c->picture;
	const struct call_node *n = &p->tree.nodes[node];
	uint64_t all = picture_all(p, node)[c->value], self = picture_self(p, node)[c->value];

	fputs("<title>", c->out);
	xml_content(c->out, name_of(p, node));
	if (n->parent == PICTURE_NONE && *p->groups[n->key].cgroup) {
		fputs("\ncontrol group ", c->out);
		xml_content(c->out, p->groups[n->key].cgroup);
	}
	if (n->parent != PICTURE_NONE && p->symbols[n->key].image != PICTURE_NONE) {
		putc('\n', c->out);
		xml_content(c->out, p->images[p->symbols[n->key].image].full);
	}
	putc('\n', c->out);
	put_samples(all, c->out);
	fprintf(c->out, ", %.2f %%", percent_of(p, all, c->value));
	if (self && self != all) {
		fputs(", self ", c->out);
		put_count(self, c->out);
	}
	if (p->nr_profiles == 2)
		fprintf(c->out, "\n%+.2f points", change_of(c, picture_all(p, node)));
	fputs("</title>", c->out);
}

static size_t label_room(double width)
{
	return width > 8 ? (size_t)((width - 6) / CHAR_WIDTH) : 0;
}

static size_t count_chars(const char *text)
{
	size_t chars = 0;

	for (; *text; chars++)
		text += utf8_length(text) ? utf8_length(text) : 1;
	return chars;
}

/* As much of @text as fits. */
static void put_label(const char *text, double width, FILE *out)
{
	size_t room = label_room(width), chars = count_chars(text);
	struct strbuf label = STRBUF_INIT;

	if (chars > room && room < 3)
		room = 0;
	for (size_t i = 0; *text && i < (chars > room && room ? room - 1 : room); i++) {
		size_t n = utf8_length(text);

		strbuf_add_bytes(&label, text, n ? n : 1);
		text += n ? n : 1;
	}
	if (label.len && *text)
		strbuf_add(&label, "…");
	xml_content(out, label.text);
	strbuf_free(&label);
}

/* A name without the outer scopes that there is no room for: "Disc::area" of "geo::Disc::area". */
static const char *leave_scopes(const char *name, size_t room)
{
	size_t left = count_chars(name);	/* from @at on */
	const char *part = name;
	int depth = 0;

	if (left <= room)
		return name;
	for (const char *at = name; *at; at++) {
		if (strchr("<([{", *at))
			depth++;
		else if (strchr(">)]}", *at))
			depth--;
		else if (!depth && at[0] == ':' && at[1] == ':' && at[2])
			part = at + 2;
		if (part == at + 2 && left <= room + 2)
			break;
		if (left && ((unsigned char)*at & 0xc0) != 0x80)
			left--;
	}
	return part;
}

static void put_frame(struct canvas *c, uint32_t node, double x, double width)
{
	double y = c->height - BOTTOM - ROW * (c->depths[node] + 2.0);
	const char *name = name_of(c->picture, node);
	char *brief = brief_name(name);

	fputs("<g class=\"", c->out);
	put_class(c, node);
	if (strcmp(brief, name)) {
		fputs("\" data-brief=\"", c->out);
		xml_content(c->out, brief);
	}
	fputs("\">", c->out);
	put_title(c, node);
	fprintf(c->out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>", x, y,
		width > 1.5 ? width - 0.5 : width, ROW - 1);
	fprintf(c->out, "<text x=\"%.2f\" y=\"%.0f\">", x + 3, y + 13);
	put_label(leave_scopes(brief, label_room(width)), width, c->out);
	fputs("</text></g>\n", c->out);
	free(brief);
}

/* --- all frames; nodes are sorted depth first --- */

static void put_frames(struct canvas *c)
{
	const struct picture *p = c->picture;
	double next_root = MARGIN;

	for (uint32_t i = 0; i < p->tree.nr; i++) {
		uint32_t parent = p->tree.nodes[i].parent;
		double *next = parent == PICTURE_NONE ? &next_root : &c->next_x[parent];
		double width = c->scale * (double)picture_all(p, i)[c->value];
		double x = *next;

		c->next_x[i] = x;
		*next += width;
		if (picture_all(p, i)[c->value])
			put_frame(c, i, x, width);
	}
}

static uint32_t set_depths(struct canvas *c)
{
	const struct picture *p = c->picture;
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < p->tree.nr; i++) {
		uint32_t parent = p->tree.nodes[i].parent;

		c->depths[i] = parent == PICTURE_NONE ? 0 : c->depths[parent] + 1;
		deepest = c->depths[i] > deepest ? c->depths[i] : deepest;
	}
	return deepest;
}

static void put_all_frame(const struct canvas *c)
{
	double y = c->height - BOTTOM - ROW;

	fputs("<g class=\"f root\"><title>all\n", c->out);
	put_samples(c->picture->totals[c->value], c->out);
	fprintf(c->out, "</title><rect x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%d\"/>"
		"<text x=\"%d\" y=\"%.0f\">all</text></g>\n", MARGIN, y,
		PICTURE_SVG_WIDTH - 2 * MARGIN, ROW - 1, MARGIN + 3, y + 13);
}

/* --- title and notes --- */

/* Notes for the reader [PI-4] [PI-7]. */
static void put_notes(const struct canvas *c)
{
	const struct picture *p = c->picture;

	if (!p->has_stacks)
		fputs(" · no call stacks: process, image, function", c->out);
	if (p->nr_profiles == 2)
		fputs(" · red: larger share than before, blue: smaller", c->out);
	if (p->nr_classes > 1)
		fprintf(c->out, " · the first of %zu events", p->nr_classes);
	if (p->nr_small_nodes) {
		fprintf(c->out, " · %zu frames too small to be seen, with ", p->nr_small_nodes);
		put_samples(p->small_nodes[c->value], c->out);
		fputs(", are merged", c->out);
	}
}

static void put_head(const struct canvas *c)
{
	const struct picture *p = c->picture;
	const char *title = c->report->title;

	fprintf(c->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
		"viewBox=\"0 0 %d %" PRIu32 "\" role=\"group\" aria-labelledby=\"what\">\n",
		PICTURE_SVG_WIDTH, c->height);
	fputs("<title>", c->out);
	xml_content(c->out, title);
	fputs("</title>\n<style>", c->out);
	fputs(picture_graph_css, c->out);
	fputs("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
	      "<text id=\"what\" class=\"title\" x=\"10\" y=\"26\">", c->out);
	put_label(title, TITLE_WIDTH, c->out);
	fputs("</text>\n<text class=\"small\" id=\"notes\" x=\"10\" y=\"46\">", c->out);
	xml_content(c->out, p->titles[c->value % p->nr_classes]);
	fputs(": ", c->out);
	put_samples(p->totals[c->value], c->out);
	fputs(p->has_stacks ? " with call stacks" : "", c->out);
	put_notes(c);
	fputs("</text>\n", c->out);
}

static void put_foot(const struct canvas *c)
{
	fprintf(c->out, "<text id=\"details\" class=\"small\" x=\"%d\" y=\"%" PRIu32 "\"> </text>\n"
		"<script><![CDATA[\n", MARGIN, c->height - 12);
	fputs(picture_graph_js, c->out);
	fputs("]]></script>\n</svg>\n", c->out);
}

void picture_svg(const struct picture_report *report, FILE *out)
{
	const struct picture *p = report->picture;
	struct canvas c = { .report = report, .picture = p, .out = out };
	uint64_t total;

	c.value = (p->nr_profiles - 1) * p->nr_classes + picture_svg_class(p);
	total = p->totals[c.value];
	c.scale = total ? (PICTURE_SVG_WIDTH - 2.0 * MARGIN) / (double)total : 0;
	c.next_x = xcalloc(p->tree.nr + 1, sizeof(*c.next_x));
	c.depths = xcalloc(p->tree.nr + 1, sizeof(*c.depths));
	c.height = TOP + BOTTOM + ROW * (set_depths(&c) + 2);
	put_head(&c);
	fputs("<g id=\"frames\">\n", out);
	put_all_frame(&c);
	put_frames(&c);
	fputs("</g>\n", out);
	put_foot(&c);
	free(c.next_x);
	free(c.depths);
}
