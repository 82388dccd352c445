// SPDX-License-Identifier: GPL-2.0-or-later
/* line.c - parse lines of the output of perf script */
#include <ctype.h>

#include "formats/perf_script/perf_script.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct text last_word(struct text *t)
{
	struct text word;

	while (t->at < t->end && is_blank(t->end[-1]))
		t->end--;
	word.end = t->end;
	while (t->at < t->end && !is_blank(t->end[-1]))
		t->end--;
	word.at = t->end;
	return word;
}

/* @t as a decimal number. */
static bool parse_number(struct text t, int64_t *ret)
{
	int64_t value = 0;

	if (t.at == t.end)
		return false;
	for (; t.at < t.end; t.at++)
		if (!isdigit((unsigned char)*t.at) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *t.at - '0', &value))
			return false;
	*ret = value;
	return true;
}

/* "17.000001:" */
static bool is_time(struct text word)
{
	bool has_point = false;

	if (word.end - word.at < 4 || word.end[-1] != ':' || !isdigit((unsigned char)*word.at))
		return false;
	for (word.end--; word.at < word.end; word.at++) {
		if (*word.at == '.' && !has_point)
			has_point = true;
		else if (!isdigit((unsigned char)*word.at))
			return false;
	}
	return has_point && word.end[-1] != '.';
}

static bool split_at_time(struct text line, struct text *before, struct text *after)
{
	*after = line;
	while (after->at < after->end) {
		struct text word = text_first_word(after);

		if (is_time(word)) {
			*before = (struct text){ line.at, word.at };
			return true;
		}
	}
	return false;
}

/* -1: of a thread that has ended. */
static bool parse_id(struct text t, int64_t *ret)
{
	*ret = -1;
	return text_is(t, "-1") || parse_number(t, ret);
}

/* "123/124", or "124" alone. */
static bool parse_ids(struct text word, struct perf_header *ret)
{
	const char *slash = memchr(word.at, '/', text_length(word));

	ret->pid = -1;
	if (!slash)
		return parse_id(word, &ret->tid);
	return parse_id((struct text){ word.at, slash }, &ret->pid) &&
	       parse_id((struct text){ slash + 1, word.end }, &ret->tid);
}

/* Commands may have blanks, so the part before the time is parsed from its end. */
static bool parse_task(struct text before, struct perf_header *ret)
{
	struct text word = last_word(&before);

	ret->cpu = -1;
	if (text_length(word) > 2 && *word.at == '[' && word.end[-1] == ']') {
		if (!parse_number((struct text){ word.at + 1, word.end - 1 }, &ret->cpu))
			return false;
		word = last_word(&before);
	}
	text_trim(&before);
	ret->comm = before;
	return parse_ids(word, ret);
}

bool perf_script_header(struct text line, struct perf_header *ret)
{
	struct text before, after, word;

	*ret = (struct perf_header){ 0 };
	if (line.at == line.end || !split_at_time(line, &before, &after) ||
	    !parse_task(before, ret))
		return false;
	word = text_first_word(&after);
	if (parse_number(word, &ret->period))
		word = text_first_word(&after);
	if (text_length(word) < 2 || word.end[-1] != ':')
		return false;
	ret->event = (struct text){ word.at, word.end - 1 };
	text_trim(&after);
	ret->frame = after;
	return true;
}

static bool parse_hex(struct text t, uint64_t *ret)
{
	uint64_t value = 0;

	if (t.at == t.end || text_length(t) > 16)
		return false;
	for (; t.at < t.end; t.at++) {
		unsigned char c = *t.at;

		if (!isxdigit(c))
			return false;
		value = value << 4 | (isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*ret = value;
	return true;
}

/* Remove the image, in the last parentheses, which may be nested, from the line. */
static void cut_image(struct text *line, struct text *image)
{
	const char *open;
	int depth = 0;

	*image = (struct text){ line->end, line->end };
	if (line->at == line->end || line->end[-1] != ')')
		return;
	for (open = line->end; open-- > line->at; ) {
		depth += *open == ')' ? 1 : *open == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	if (depth || (open > line->at && !is_blank(open[-1])))
		return;
	*image = (struct text){ open + 1, line->end - 1 };
	line->end = open;
}

/* "main+0x4" is main. */
static bool cut_offset(struct text *symbol)
{
	const char *at = symbol->end;
	uint64_t offset;

	while (at > symbol->at && at[-1] != '+')
		at--;
	if (at == symbol->at || symbol->end - at < 3 || at[0] != '0' || at[1] != 'x' ||
	    !parse_hex((struct text){ at + 2, symbol->end }, &offset))
		return false;
	symbol->end = at - 1;
	text_trim(symbol);
	return true;
}

bool perf_script_frame(struct text line, struct perf_frame *ret)
{
	*ret = (struct perf_frame){ 0 };
	text_trim(&line);
	if (!parse_hex(text_first_word(&line), &ret->address))
		return false;
	cut_image(&line, &ret->image);
	text_trim(&line);
	ret->symbol = line;
	while (cut_offset(&ret->symbol))
		;
	if (text_is(ret->symbol, "[unknown]"))
		ret->symbol.end = ret->symbol.at;
	if (text_is(ret->image, "[unknown]"))
		ret->image.end = ret->image.at;
	ret->is_inlined = text_is(ret->image, "inlined");
	return true;
}
