// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read what valgrind's tools and others write: own costs of lines
 *
 * Calls are told with sums that say nothing of whole stacks, so they are left out.
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
#define LINES_LOOKED_AT		100

enum { INSTRUCTION, LINE, POSITIONS };

/* What the next line of numbers is. */
enum costs_of { OF_LINE, OF_CALL, OF_JUMP };

struct reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	size_t size;			/* of the file */
	unsigned long line;
	bool is_ours, has_instructions, has_lines;
	struct callgrind_names images, files, functions;
	struct named_images profile_images;
	uint32_t command;		/* string */

	/* what costs are of: strings, and positions that others are relative to */
	uint32_t image, file, function_file, function;
	uint64_t position[POSITIONS];
	enum costs_of next;
	unsigned long calls;		/* that were left out */
	int64_t sums[EVENTS_MAX];	/* since the last totals: line */
};

static int fault(struct reader *r, const char *text, const char *rule)
{
	return op_error_set(r->e, -EPROTO, "line %lu: %s [%s]", r->line, text, rule);
}

/* Cut "KEY:" or "KEY=" off the line; @sign says which. */
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

/* It begins with comments and "KEY: VALUE", of which one is "events". */
static bool detect(const unsigned char *bytes, size_t size)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size }, line, key;
	char sign;

	for (int i = 0; i < LINES_LOOKED_AT && text_next_line(&all, &line); i++) {
		if (line.at == line.end || *line.at == '#')
			continue;
		if (text_has_controls(line) || !take_key(&line, &key, &sign) || sign != ':')
			return false;
		if (text_is(key, "events"))
			return true;
	}
	return false;
}

/* Decimal, or hexadecimal behind 0x. */
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

static int read_events(struct reader *r, struct text names)
{
	bool first = !r->p->nr_events;
	struct text name;
	uint32_t nr = 0;

	while (text_length(name = text_first_word(&names))) {
		uint32_t string = profile_string_n(r->p, name.at, text_length(name));
		struct profile_event event = { .name = string,
					       .unit = profile_string(r->p, "count") };

		if (first && nr == EVENTS_MAX)
			return fault(r, "more than 64 events", "CK-9");
		if (first)
			profile_add_event(r->p, &event);
		if (nr >= r->p->nr_events || r->p->events[nr].name != string)
			return fault(r, "events other than those of the first part", "CK-9");
		nr++;
	}
	if (!nr || nr != r->p->nr_events)
		return fault(r, nr ? "fewer events than in the first part" : "no events", "CK-9");
	return 0;
}

/* What a cut file does not have, or not as its costs are. */
static int check_totals(struct reader *r, struct text totals)
{
	bool same = true;

	for (uint32_t i = 0; i < r->p->nr_events; i++) {
		struct text word = text_first_word(&totals);
		uint64_t total = 0;

		same = same && (!text_length(word) || number(word, &total)) &&
		       total == (uint64_t)r->sums[i];
		r->sums[i] = 0;
	}
	return same ? 0 : format_doubt(r->options, r->e, "line %lu: the totals are not those of "
				       "the lines before [CK-12]", r->line);
}

static int read_header(struct reader *r, struct text key, struct text value)
{
	struct text word;
	uint64_t version;

	if (text_is(key, "events"))
		return read_events(r, value);
	if (text_is(key, "totals"))
		return check_totals(r, value);
	if (text_is(key, "version") && (!number(text_first_word(&value), &version) || version != 1))
		return fault(r, "its version is not 1", "CK-7");
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
				return fault(r, "a position is neither instr nor line", "CK-10");
	}
	return 0;
}

/* "fn=(7) main" and the like, also of callees: what they name is used by others. */
static int read_name(struct reader *r, struct text key, struct text value)
{
	static const struct {
		const char *key;
		size_t names;
	} keys[] = {
		{ "ob", offsetof(struct reader, images) },
		{ "cob", offsetof(struct reader, images) },
		{ "fl", offsetof(struct reader, files) },
		{ "fi", offsetof(struct reader, files) },
		{ "fe", offsetof(struct reader, files) },
		{ "cfi", offsetof(struct reader, files) },
		{ "cfl", offsetof(struct reader, files) },
		{ "fn", offsetof(struct reader, functions) },
		{ "cfn", offsetof(struct reader, functions) },
	};
	uint32_t name;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!text_is(key, keys[i].key))
			continue;
		if (!callgrind_name((void *)((char *)r + keys[i].names), r->p, value, &name))
			return fault(r, "a number that was not named before", "CK-8");
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
	return format_doubt(r->options, r->e, "line %lu: '%.*s=' is left out [CK-7]", r->line,
			    (int)(text_length(key) > 20 ? 20 : text_length(key)), key.at);
}

static int read_spec(struct reader *r, struct text key, struct text value)
{
	if (text_is(key, "calls")) {
		r->next = OF_CALL;
		r->calls++;
		return 0;
	}
	if (text_is(key, "jump") || text_is(key, "jcnd")) {
		r->next = OF_JUMP;
		return 0;
	}
	return read_name(r, key, value);
}

/* A number, or "+3", "-3", "*": from the last one of its kind. */
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

static uint32_t node_of(struct reader *r)
{
	struct profile_function f = { .name = r->function, .system_name = r->function,
				      .file = r->file };
	struct profile_line line = { .line = (uint32_t)r->position[LINE] };
	bool known = r->function || r->file;

	if (known)
		line.function = profile_function(r->p, &f);
	return profile_node(r->p, PROFILE_NONE,
			    profile_place(r->p, named_image(&r->profile_images, r->p, r->image),
					  r->position[INSTRUCTION], &line, known));
}

static int read_values(struct reader *r, struct text costs)
{
	struct text word;
	int64_t *values;
	uint32_t i = 0;

	if (!has_room_for_sample(r->p, r->size))
		return fault(r, "too many lines for so many events", "PF-7");
	values = profile_add_sample(r->p, node_of(r), 0);
	for (; text_length(word = text_first_word(&costs)); i++) {
		uint64_t value;

		if (i == r->p->nr_events)
			return fault(r, "more costs than events", "CK-11");
		if (!number(word, &value) || value > INT64_MAX)
			return fault(r, "a cost is no number of 63 bits", "CK-11");
		values[i] = (int64_t)value;
		r->sums[i] = add_saturated(r->sums[i], values[i]);
	}
	return 0;
}

static int read_costs(struct reader *r, struct text line)
{
	uint64_t *position = r->position;
	enum costs_of what = r->next;

	r->next = OF_LINE;
	if (!r->p->nr_events)
		return fault(r, "costs before there are events", "CK-9");
	if (r->has_instructions && !read_position(text_first_word(&line), &position[INSTRUCTION]))
		return fault(r, "no address", "CK-10");
	if (r->has_lines && (!read_position(text_first_word(&line), &position[LINE]) ||
			     position[LINE] > UINT32_MAX))
		return fault(r, "no line number", "CK-10");
	return what == OF_LINE ? read_values(r, line) : 0;
}

static int read_line(struct reader *r, struct text line)
{
	struct text key;
	char sign;

	if (text_has_controls(line))
		return fault(r, "a control character", "CK-7");
	if (isdigit((unsigned char)*line.at) || strchr("+-*", *line.at))
		return read_costs(r, line);
	if (r->next != OF_LINE)
		return fault(r, "after calls= and jump= has to stand a line of costs", "CK-11");
	if (!take_key(&line, &key, &sign))
		return fault(r, "neither costs nor a name", "CK-7");
	return sign == ':' ? read_header(r, key, line) : read_spec(r, key, line);
}

static int read_lines(struct reader *r, struct text all)
{
	struct text line;
	int err = 0;

	while (!err && text_next_line(&all, &line)) {
		r->line++;
		if (line.at == line.end)
			continue;
		if (*line.at == '#')
			continue;
		r->is_ours = r->is_ours || (text_length(line) > strlen(CALLGRIND_CREATOR) &&
					    !memcmp(line.at, CALLGRIND_CREATOR,
						    strlen(CALLGRIND_CREATOR)));
		err = read_line(r, line);
		if (err && r->options->salvage && r->p->nr_events) {
			format_warn(r->options->warnings, "%s: left out", r->e->text);
			r->next = OF_LINE;
			err = 0;
		}
	}
	if (!err && !r->p->nr_events)
		err = fault(r, "there is no line 'events:'", "CK-9");
	return err;
}

static void finish(struct reader *r)
{
	for (uint32_t i = 0; r->is_ours && r->command && i < r->p->nr_images; i++)
		if (r->p->images[i].path == r->command)
			r->p->main_image = i;
	if (r->calls)
		format_warn(r->options->warnings, "the sums of %lu calls are left out: a profile "
			    "has whole stacks [CK-11]", r->calls);
}

static int read_callgrind(const unsigned char *bytes, size_t size,
			  const struct format_read_options *options, struct profile *p,
			  struct op_error *e)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size };
	struct op_error ours = { "" };
	struct reader r = { .options = options, .p = p, .e = e ? e : &ours, .size = size,
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
	.text = "callgrind's, for KCachegrind and callgrind_annotate",
	.detect = detect,
	.read = read_callgrind,
	.write = callgrind_write,
};
