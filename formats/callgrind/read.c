// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read files of valgrind's tools and others: own costs of lines
 *
 * The costs of calls are ignored, because they are sums that do not show whole stacks.
 * Rules: doc/callgrind.md [CK-7]..[CK-12].
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/callgrind/callgrind.h"
#include "formats/callgrind/names.h"
#include "formats/file/text_lines.h"
#include "formats/profile/named_images.h"
#include "formats/profile/room.h"
#include "formats/profile/saturate.h"

#define EVENTS_MAX		64
#define LINES_DETECTED		100	/* lines that detection looks at */

enum { INSTRUCTION, LINE, POSITIONS };

/* The kind of the next line of costs. */
enum cost_kind { LINE_COST, CALL_COST, JUMP_COST };

struct callgrind_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	size_t size;			/* of the file */
	unsigned long line;
	bool is_ours, has_instructions, has_lines;
	struct callgrind_names images, files, functions;
	struct named_images profile_images;
	uint32_t command;		/* string */

	/* what the next costs are of: strings, and positions that others are relative to */
	uint32_t image, file, function_file, function;
	uint64_t position[POSITIONS];
	enum cost_kind next;
	unsigned long nr_calls;		/* that were ignored */
	int64_t sums[EVENTS_MAX];	/* since the last "totals:" line */
};

static int fail(struct callgrind_reader *r, const char *text)
{
	return op_error_set(r->e, -EPROTO, "line %lu: %s", r->line, text);
}

/* Remove "KEY:" or "KEY=" from the line; *sign is the last character. */
static bool take_key(struct text *line, struct text *key, char *sign)
{
	const char *at = line->at;

	while (at < line->end && isalpha((unsigned char)*at))
		at++;
	if (at == line->at || at == line->end || (*at != ':' && *at != '='))
		return false;
	*key = (struct text){ line->at, at };
	*sign = *at;
	line->at = at + 1;
	return true;
}

/* The file begins with comments and lines "KEY: VALUE"; one of the keys is "events". */
static bool detect(const unsigned char *bytes, size_t size)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size }, line, key;
	char sign;

	for (int i = 0; i < LINES_DETECTED && text_next_line(&all, &line); i++) {
		if (line.at == line.end || *line.at == '#')
			continue;
		if (text_has_controls(line) || !take_key(&line, &key, &sign) || sign != ':')
			return false;
		if (text_is(key, "events"))
			return true;
	}
	return false;
}

/* Decimal, or hexadecimal after 0x. */
static bool number(struct text t, uint64_t *ret)
{
	unsigned int base = 10;
	uint64_t value = 0;

	if (text_length(t) > 2 && t.at[0] == '0' && (t.at[1] | 0x20) == 'x') {
		base = 16;
		t.at += 2;
	}
	if (t.at == t.end)
		return false;
	for (; t.at < t.end; t.at++) {
		unsigned char c = *t.at;
		unsigned int digit = isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;

		if (!isxdigit(c) || digit >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

/* [CK-9] */
static int read_events(struct callgrind_reader *r, struct text names)
{
	bool first = !r->p->nr_events;
	struct text name;
	uint32_t nr = 0;

	while (text_length(name = text_first_word(&names))) {
		uint32_t string = profile_string_n(r->p, name.at, text_length(name));
		struct profile_event event = { .name = string,
					       .unit = profile_string(r->p, "count") };

		if (first && nr == EVENTS_MAX)
			return fail(r, "more than 64 events");
		if (first)
			profile_add_event(r->p, &event);
		if (nr >= r->p->nr_events || r->p->events[nr].name != string)
			return fail(r, "events differ from those of the first part");
		nr++;
	}
	if (!nr || nr != r->p->nr_events)
		return fail(r, nr ? "fewer events than in the first part" : "missing events");
	return 0;
}

/* A truncated file has no totals, or totals that differ from the sums of its costs. [CK-12] */
static int check_totals(struct callgrind_reader *r, struct text totals)
{
	bool same = true;

	for (uint32_t i = 0; i < r->p->nr_events; i++) {
		struct text word = text_first_word(&totals);
		uint64_t total = 0;

		same = same && (!text_length(word) || number(word, &total)) &&
		       total == (uint64_t)r->sums[i];
		r->sums[i] = 0;
	}
	return same ? 0 : format_warn_or_fail(r->options, r->e, "line %lu: totals differ from the "
					      "sums of the lines before", r->line);
}

/* [CK-7] [CK-10] */
static int read_header(struct callgrind_reader *r, struct text key, struct text value)
{
	struct text word;
	uint64_t version;

	if (text_is(key, "events"))
		return read_events(r, value);
	if (text_is(key, "totals"))
		return check_totals(r, value);
	if (text_is(key, "version") && (!number(text_first_word(&value), &version) || version != 1))
		return fail(r, "unsupported version: expected 1");
	if (text_is(key, "cmd"))
		r->command = profile_string_n(r->p, value.at + (value.at < value.end),
					      text_length(value) - (value.at < value.end));
	if (text_is(key, "positions")) {
		r->has_instructions = r->has_lines = false;
		while (text_length(word = text_first_word(&value)))
			if (text_is(word, "instr"))
				r->has_instructions = true;
			else if (text_is(word, "line"))
				r->has_lines = true;
			else
				return fail(r, "unknown position: expected instr or line");
	}
	return 0;
}

/* "fn=(7) main" and the like. Names of callees count, because other lines use them. [CK-8] */
static int read_name(struct callgrind_reader *r, struct text key, struct text value)
{
	static const struct {
		const char *key;
		size_t names;
	} keys[] = {
		{ "ob", offsetof(struct callgrind_reader, images) },
		{ "cob", offsetof(struct callgrind_reader, images) },
		{ "fl", offsetof(struct callgrind_reader, files) },
		{ "fi", offsetof(struct callgrind_reader, files) },
		{ "fe", offsetof(struct callgrind_reader, files) },
		{ "cfi", offsetof(struct callgrind_reader, files) },
		{ "cfl", offsetof(struct callgrind_reader, files) },
		{ "fn", offsetof(struct callgrind_reader, functions) },
		{ "cfn", offsetof(struct callgrind_reader, functions) },
	};
	uint32_t name;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!text_is(key, keys[i].key))
			continue;
		if (!callgrind_name_find((void *)((char *)r + keys[i].names), r->p, value, &name))
			return fail(r, "undefined number of a name");
		if (text_is(key, "ob"))
			r->image = name;
		else if (text_is(key, "fl"))
			r->file = r->function_file = name;
		else if (text_is(key, "fi") || text_is(key, "fe"))
			r->file = name;
		if (text_is(key, "fn")) {
			r->function = name;
			r->file = r->function_file;
		}
		return 0;
	}
	return format_warn_or_fail(r->options, r->e, "line %lu: ignored unknown key '%.*s='",
				   r->line, (int)(text_length(key) > 20 ? 20 : text_length(key)),
				   key.at);
}

static int read_spec(struct callgrind_reader *r, struct text key, struct text value)
{
	if (text_is(key, "calls")) {
		r->next = CALL_COST;
		r->nr_calls++;
		return 0;
	}
	if (text_is(key, "jump") || text_is(key, "jcnd")) {
		r->next = JUMP_COST;
		return 0;
	}
	return read_name(r, key, value);
}

/* A number; or "+3", "-3" or "*", relative to the last position of its kind. [CK-10] */
static bool read_position(struct text word, uint64_t *position)
{
	char sign = text_length(word) ? *word.at : 0;
	uint64_t value;

	if (text_is(word, "*"))
		return true;
	if (sign == '+' || sign == '-')
		word.at++;
	if (!number(word, &value))
		return false;
	if (sign == '+')
		return !__builtin_add_overflow(*position, value, position);
	if (sign == '-')
		return !__builtin_sub_overflow(*position, value, position);
	*position = value;
	return true;
}

static uint32_t add_node(struct callgrind_reader *r)
{
	struct profile_function f = { .name = r->function, .system_name = r->function,
				      .file = r->file };
	struct profile_line line = { .line = (uint32_t)r->position[LINE] };
	bool is_known = r->function || r->file;
	uint32_t image;

	if (is_known)
		line.function = profile_function(r->p, &f);
	image = named_images_find(&r->profile_images, r->p, r->image);
	return profile_node(r->p, PROFILE_NONE,
			    profile_place(r->p, image, r->position[INSTRUCTION], &line, is_known));
}

/* [CK-11] [PF-7] */
static int read_values(struct callgrind_reader *r, struct text costs)
{
	struct text word;
	int64_t *values;
	uint32_t i = 0;

	if (!has_room_for_sample(r->p, r->size))
		return fail(r, "too many lines for this number of events");
	values = profile_add_sample(r->p, add_node(r), 0);
	for (; text_length(word = text_first_word(&costs)); i++) {
		uint64_t value;

		if (i == r->p->nr_events)
			return fail(r, "more costs than events");
		if (!number(word, &value) || value > INT64_MAX)
			return fail(r, "invalid cost: expected a number below 2^63");
		values[i] = (int64_t)value;
		r->sums[i] = add_saturated(r->sums[i], values[i]);
	}
	return 0;
}

static int read_costs(struct callgrind_reader *r, struct text line)
{
	uint64_t *position = r->position;
	enum cost_kind kind = r->next;

	r->next = LINE_COST;
	if (!r->p->nr_events)
		return fail(r, "costs before the 'events:' line");
	if (r->has_instructions && !read_position(text_first_word(&line), &position[INSTRUCTION]))
		return fail(r, "invalid address");
	if (r->has_lines && (!read_position(text_first_word(&line), &position[LINE]) ||
			     position[LINE] > UINT32_MAX))
		return fail(r, "invalid line number");
	return kind == LINE_COST ? read_values(r, line) : 0;
}

static int read_line(struct callgrind_reader *r, struct text line)
{
	struct text key;
	char sign;

	if (text_has_controls(line))
		return fail(r, "invalid control character");
	if (isdigit((unsigned char)*line.at) || strchr("+-*", *line.at))
		return read_costs(r, line);
	if (r->next != LINE_COST)
		return fail(r, "expected a line of costs after calls= or jump=");
	if (!take_key(&line, &key, &sign))
		return fail(r, "expected costs or a name");
	return sign == ':' ? read_header(r, key, line) : read_spec(r, key, line);
}

static int read_lines(struct callgrind_reader *r, struct text all)
{
	struct text line;
	int err = 0;

	while (!err && text_next_line(&all, &line)) {
		r->line++;
		if (line.at == line.end || *line.at == '#')
			continue;
		r->is_ours = r->is_ours || text_begins(line, CALLGRIND_CREATOR);
		err = read_line(r, line);
		if (err && r->p->nr_events && format_skip(r->options, r->e, "line")) {
			r->next = LINE_COST;
			err = 0;
		}
	}
	if (!err && !r->p->nr_events)
		err = op_error_set(r->e, -EPROTO, "missing 'events:' line");
	return err;
}

static void finish(struct callgrind_reader *r)
{
	if (r->is_ours && r->command)
		profile_set_title(r->p, profile_text(r->p, r->command));
	if (r->nr_calls)
		format_warn(r->options->warnings, "ignored the costs of %lu calls: they do not "
			    "show whole stacks", r->nr_calls);
}

static int read_callgrind(const unsigned char *bytes, size_t size,
			  const struct format_read_options *options, struct profile *p,
			  struct op_error *e)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size };
	struct callgrind_reader r = { .options = options, .p = p, .e = e, .size = size,
			    .has_lines = true };
	int err = read_lines(&r, all);

	if (!err)
		finish(&r);
	callgrind_names_free(&r.images);
	callgrind_names_free(&r.files);
	callgrind_names_free(&r.functions);
	named_images_free(&r.profile_images);
	return err;
}

const struct profile_format format_callgrind = {
	.name = "callgrind",
	.suffix = "callgrind",
	.text = "callgrind's format, for KCachegrind and callgrind_annotate",
	.detect = detect,
	.read = read_callgrind,
	.write = callgrind_write,
};
