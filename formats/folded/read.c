// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read folded stacks: "main;work;read_block 17", a line for each stack
 *
 * Marks after names show functions of the kernel, inlined ones, and code made at run time. Rules:
 * doc/folded.md [FO-n].
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/file/text_lines.h"
#include "formats/folded/folded.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define LINES_DETECTED	10		/* lines that detection looks at */

struct folded_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	unsigned long line;
	uint32_t kernel, jit;		/* images, added with the first such frame */
	struct profile_line *lines;	/* of one place, outermost first */
	size_t nr_lines, room_lines;
};

/* The count follows the last blank. */
static bool split_count(struct text *line, struct text *count)
{
	const char *blank = line->end;

	while (blank > line->at && blank[-1] != ' ' && blank[-1] != '\t')
		blank--;
	*count = (struct text){ blank, line->end };
	if (blank == line->at || blank == line->end || !isdigit((unsigned char)*blank))
		return false;
	line->end = blank;
	text_trim(line);
	return line->end > line->at;
}

/* Decimals are dropped; *whole: they were zeros. */
static bool parse_count(struct text count, int64_t *ret, bool *whole)
{
	int64_t value = 0;

	*whole = true;
	for (; count.at < count.end && isdigit((unsigned char)*count.at); count.at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *count.at - '0', &value))
			return false;
	*ret = value;
	if (count.at < count.end && *count.at == '.')
		for (count.at++; count.at < count.end && isdigit((unsigned char)*count.at);
		     count.at++)
			*whole = *whole && *count.at == '0';
	return count.at == count.end;
}

/* The first lines all have this form, and at least one has several frames. */
static bool detect(const unsigned char *bytes, size_t size)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size }, line, count;
	bool several = false, whole;
	int64_t value;

	if (size && *bytes == '{')	/* JSON */
		return false;
	for (int i = 0; i < LINES_DETECTED && text_next_line(&all, &line); i++) {
		if (line.at == line.end || *line.at == '#')
			continue;
		if (text_has_controls(line) || !split_count(&line, &count) ||
		    !parse_count(count, &value, &whole))
			return false;
		several = several || memchr(line.at, ';', text_length(line));
	}
	return several;
}

static uint32_t find_image(struct folded_reader *r, uint32_t *image, const char *path,
			 enum profile_image_kind kind)
{
	struct profile_image new = { .path = profile_string(r->p, path), .kind = kind };

	if (*image == PROFILE_NONE)
		*image = profile_add_image(r->p, &new);
	return *image;
}

/* Remove a mark "_[k]" from the name. Returns its letter, or 0. */
static char cut_mark(struct text *name)
{
	const char *mark = name->end - FOLDED_MARK_LENGTH;

	if (name->end - name->at <= FOLDED_MARK_LENGTH || memcmp(mark, "_[", 2) || mark[3] != ']' ||
	    !mark[2] || !strchr(FOLDED_MARKS, mark[2]))
		return 0;
	name->end = mark;
	text_trim(name);
	return mark[2];
}

/* A frame may have several marks; the first one other than "_[i]" shows its image. */
static char cut_marks(struct text *name, bool *inlined)
{
	char mark, first = 0;

	*inlined = false;
	while ((mark = cut_mark(name)))
		if (mark == FOLDED_INLINED)
			*inlined = true;
		else
			first = mark;
	return first;
}

/* Lines are collected outermost first, but innermost first in a place. */
static uint32_t finish_place(struct folded_reader *r, uint32_t parent, uint32_t image)
{
	for (size_t i = 0; i < r->nr_lines / 2; i++) {
		struct profile_line swap = r->lines[i];

		r->lines[i] = r->lines[r->nr_lines - 1 - i];
		r->lines[r->nr_lines - 1 - i] = swap;
	}
	parent = profile_node(r->p, parent, profile_place(r->p, image, 0, r->lines,
							   (uint32_t)r->nr_lines));
	r->nr_lines = 0;
	return parent;
}

static void add_line(struct folded_reader *r, struct text name)
{
	uint32_t id = profile_string_n(r->p, name.at, text_length(name));
	struct profile_function function = { .name = id, .system_name = id };

	xgrow(r->lines, r->nr_lines, r->room_lines);
	r->lines[r->nr_lines++] = (struct profile_line){ profile_function(r->p, &function), 0 };
}

/* Frames are outermost first; an inlined one belongs to the place of its caller. [FO-2] [FO-4] */
static int read_stack(struct folded_reader *r, struct text stack, uint32_t *ret)
{
	uint32_t node = PROFILE_NONE, image = PROFILE_NONE, nr = 0;

	while (stack.at < stack.end) {
		const char *semicolon = memchr(stack.at, ';', text_length(stack));
		struct text name = { stack.at, semicolon ? semicolon : stack.end };
		bool inlined;
		char mark;

		stack.at = semicolon ? semicolon + 1 : stack.end;
		text_trim(&name);
		if (name.at == name.end)
			continue;
		if (nr++ == PROFILE_FRAMES_MAX)
			return op_error_set(r->e, -EPROTO, "line %lu: more than %u frames",
					    r->line, PROFILE_FRAMES_MAX);
		mark = cut_marks(&name, &inlined);
		if (r->nr_lines && !inlined)
			node = finish_place(r, node, image);
		if (!r->nr_lines)
			image = mark == FOLDED_KERNEL ?
				find_image(r, &r->kernel, "[kernel.kallsyms]", PROFILE_KERNEL) :
				mark == FOLDED_JIT ?
				find_image(r, &r->jit, "", PROFILE_JIT) : PROFILE_NONE;
		add_line(r, name);
	}
	*ret = r->nr_lines ? finish_place(r, node, image) : node;
	return 0;
}

/* [FO-1] */
static int read_line(struct folded_reader *r, struct text line)
{
	struct text count;
	bool whole;
	uint32_t node = PROFILE_NONE;
	int64_t value;
	int err;

	if (text_has_controls(line))
		return op_error_set(r->e, -EPROTO, "line %lu: invalid control character", r->line);
	if (!split_count(&line, &count))
		return op_error_set(r->e, -EPROTO, "line %lu: missing count at the end", r->line);
	if (!parse_count(count, &value, &whole))
		return op_error_set(r->e, -EPROTO, "line %lu: invalid count '%.*s'", r->line,
				    (int)(count.end - count.at > 40 ? 40 : count.end - count.at),
				    count.at);
	err = whole ? 0 : format_warn_or_fail(r->options, r->e, "line %lu: ignored the fraction of "
					      "the count", r->line);
	if (!err)
		err = read_stack(r, line, &node);
	if (!err)
		profile_add_sample(r->p, node, 0)[0] = value;
	return err;
}

static void add_comment(struct folded_reader *r, struct text line)
{
	char *text = strndup(line.at, text_length(line));

	if (!text)
		return;
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	profile_comment(r->p, text + 1 + (text[1] == ' '));
	free(text);
}

static int read_lines(struct folded_reader *r, struct text all)
{
	struct text line;
	int err = 0;

	while (!err && text_next_line(&all, &line)) {
		r->line++;
		progress_tell(NULL, r->line, 0, "lines");
		if (line.at == line.end)
			continue;
		if (*line.at == '#') {
			add_comment(r, line);
			continue;
		}
		r->nr_lines = 0;
		err = read_line(r, line);
		if (err && format_skip(r->options, r->e, "line"))
			err = 0;
	}
	return err;
}

static int folded_read(const unsigned char *bytes, size_t size,
		       const struct format_read_options *options, struct profile *p,
		       struct op_error *e)
{
	struct folded_reader r = { .options = options, .p = p, .e = e,
			    .kernel = PROFILE_NONE, .jit = PROFILE_NONE };
	struct profile_event event = { .name = profile_string(p, "samples"),
				       .unit = profile_string(p, "count"), .period = 1 };
	int err;

	profile_add_event(p, &event);
	err = read_lines(&r, (struct text){ (const char *)bytes, (const char *)bytes + size });
	free(r.lines);
	return err;
}

const struct profile_format format_folded = {
	.name = "folded",
	.suffix = "folded",
	.text = "folded stacks, for flamegraph.pl and many other tools",
	.one_event = true,
	.detect = detect,
	.read = folded_read,
	.write = folded_write,
};
