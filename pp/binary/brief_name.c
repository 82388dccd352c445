/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief_name.c - abridge a function's name for narrow places: only what tells functions apart
 *
 * The name may be of any language and is not checked: what does not look like C++ stays.
 */
#include "pp/binary/shorten_name.h"

#include <ctype.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define LONGEST_NAME	(64 * 1024)	/* longer ones stay */
#define DEEPEST		16		/* nested {} and <> that are not arguments */

struct briefing {
	const char *text, *at, *end;
	struct strbuf *out;
	size_t start, name;	/* in @out: of this text, and of its last word */
	bool in_operator;	/* after "operator" blanks belong to the name */
	unsigned int depth;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool begins(const struct briefing *b, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(b->end - b->at) >= n && !memcmp(b->at, with, n);
}

static bool ends(const struct briefing *b, const char *with)
{
	size_t n = strlen(with);

	return b->out->len - b->start >= n && !memcmp(b->out->text + b->out->len - n, with, n);
}

/* The bracket that closes the one at @open, or NULL. */
static const char *find_end(const char *open, const char *end)
{
	int depth = 0;

	for (const char *at = open; at < end; at++) {
		if (strchr("<([{", *at))
			depth++;
		else if (strchr(")]}", *at) || (*at == '>' && at[-1] != '-'))
			depth--;
		if (!depth)
			return at;
	}
	return NULL;
}

static void copy(struct briefing *b, size_t n)
{
	strbuf_add_bytes(b->out, b->at, n);
	b->at += n;
}

static void put_operator(struct briefing *b)
{
	static const char *const symbols[] = {
		"()", "[]", "->*", "->", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "<", ">",
	};

	copy(b, strlen("operator"));
	b->in_operator = true;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (begins(b, symbols[i])) {
			copy(b, strlen(symbols[i]));
			break;
		}
	if (begins(b, " <"))	/* arguments of operator< */
		b->at++;
}

static void abridge(const char *text, size_t len, unsigned int depth, struct strbuf *out);

/* "{lambda(int)#1}" and "<T as Trait>": the brackets stay. */
static void put_within(struct briefing *b, const char *close)
{
	copy(b, 1);
	abridge(b->at, (size_t)(close - b->at), b->depth + 1, b->out);
	b->at = close;
	copy(b, 1);
}

static void put_arguments(struct briefing *b, const char *close)
{
	bool is_char = begins(b, "<char,") || begins(b, "<char>");

	if (is_char && ends(b, "basic_string")) {
		strbuf_truncate(b->out, b->out->len - strlen("basic_string"));
		strbuf_add(b->out, "string");
	} else {
		strbuf_add(b->out, "<...>");
	}
	b->at = close + 1;
}

static bool is_parameters(const struct briefing *b, const char *close)
{
	char before = b->at > b->text ? b->at[-1] : ' ';
	bool has_name = is_word(before) || strchr(">]", before) ||
			(b->in_operator && ispunct((unsigned char)before));

	return has_name && !ends(b, "decltype") &&
	       (close + 1 == b->end || strchr(" :&@[#", close[1]));
}

/* Parameters, qualifiers after them, and what is returned, before the name. */
static void drop_parameters(struct briefing *b, const char *close)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &", "&&", "&" };

	b->at = close + 1;
	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++)
		if (begins(b, qualifiers[i]))
			b->at += strlen(qualifiers[i]);
	if (b->name > b->start) {
		memmove(b->out->text + b->start, b->out->text + b->name,
			b->out->len - b->name);
		strbuf_truncate(b->out, b->out->len - (b->name - b->start));
		b->name = b->start;
	}
	b->in_operator = true;	/* the return type is gone, blanks no longer matter */
}

static void put_bracket(struct briefing *b)
{
	const char *close = find_end(b->at, b->end);
	char c = *b->at, before = b->at > b->text ? b->at[-1] : ' ';

	if (!close || b->depth == DEEPEST)
		copy(b, (size_t)(b->end - b->at));
	else if (c == '<' && (is_word(before) || before == ']' || b->in_operator))
		put_arguments(b, close);
	else if (c == '(' && is_parameters(b, close))
		drop_parameters(b, close);
	else if (c == '<' || c == '{')
		put_within(b, close);
	else
		copy(b, (size_t)(close + 1 - b->at));
}

static void put_blank(struct briefing *b)
{
	bool is_prefix = ends(b, " to") || ends(b, " for");	/* "virtual thunk to f()" */

	copy(b, 1);
	if (!b->in_operator)
		b->name = b->out->len;
	if (is_prefix)
		b->start = b->name;
}

static void abridge(const char *text, size_t len, unsigned int depth, struct strbuf *out)
{
	struct briefing b = {
		.text = text, .at = text, .end = text + len, .out = out,
		.start = out->len, .name = out->len, .depth = depth,
	};

	while (b.at < b.end) {
		bool at_word = b.at == text || !is_word(b.at[-1]);

		if (at_word && begins(&b, "operator") && !is_word(b.at[strlen("operator")]))
			put_operator(&b);
		else if (at_word && (begins(&b, "__cxx11::") || begins(&b, "__1::")) &&
			 ends(&b, "std::"))
			b.at = strstr(b.at, "::") + 2;
		else if (strchr("<({", *b.at))
			put_bracket(&b);
		else if (*b.at == ' ')
			put_blank(&b);
		else
			copy(&b, 1);
	}
}

char *brief_name(const char *name)
{
	struct strbuf out = STRBUF_INIT;
	size_t len = strlen(name);

	if (len > LONGEST_NAME)
		return xstrdup(name);
	abridge(name, len, 0, &out);
	if (!out.len || out.len >= len) {
		strbuf_free(&out);
		return xstrdup(name);
	}
	return strbuf_steal(&out);
}
