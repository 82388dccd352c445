/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shorten_name.c - rewrite template arguments, innermost first
 *
 * Every rule shortens the name, so it is rewritten in place.
 */
#include "pp/binary/shorten_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS	6
#define LONGEST_NAME	(64 * 1024)	/* longer ones take too much time */

struct span {
	char *text;
	size_t len;
};

/* NAME<ARG, ARG...>; the templates in its arguments are already shortened. */
struct template {
	struct span name, args[MAX_ARGS];
	size_t nr_args;
	char *end;		/* after the '>' */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void cut(char *at, size_t n)
{
	memmove(at, at + n, strlen(at + n) + 1);
}

static void drop_words(char *name, const char *word)
{
	size_t n = strlen(word);

	for (char *at = name; (at = strstr(at, word)) != NULL;) {
		if (at > name && is_word(at[-1]))
			at += n;
		else
			cut(at, n);
	}
}

static void join_brackets(char *name)
{
	for (char *at = name; (at = strstr(at, "> >")) != NULL;)
		cut(at + 1, 1);
}

static bool span_is(struct span s, const char *text)
{
	return strlen(text) == s.len && !memcmp(s.text, text, s.len);
}

/* Is @s "WORD<" + @inner + ">"? */
static bool is_of(struct span s, const char *word, struct span inner)
{
	size_t n = strlen(word);

	return s.len == n + inner.len + 2 && !memcmp(s.text, word, n) && s.text[n] == '<' &&
	       !memcmp(s.text + n + 1, inner.text, inner.len) && s.text[s.len - 1] == '>';
}

/* "allocator<pair<KEY const, VALUE>>" */
static bool is_pair_allocator(struct span s, struct span key, struct span value)
{
	size_t n = strlen("allocator<pair<");

	return s.len == n + key.len + strlen(" const, ") + value.len + 2 &&
	       !memcmp(s.text, "allocator<pair<", n) && !memcmp(s.text + n, key.text, key.len) &&
	       !memcmp(s.text + n + key.len, " const, ", strlen(" const, ")) &&
	       !memcmp(s.text + s.len - 2 - value.len, value.text, value.len);
}

static void add_arg(struct template *t, char *from, char *to)
{
	while (from < to && *from == ' ')
		from++;
	if (t->nr_args < MAX_ARGS)
		t->args[t->nr_args] = (struct span){ from, to - from };
	t->nr_args++;
}

/* Split at the commas of the outermost level. False: the brackets do not match. */
static bool parse(char *name, char *open, struct template *t)
{
	char *at = open, *from = open + 1;
	int depth = 0;

	*t = (struct template){ .name = { open, 0 } };
	while (t->name.text > name && is_word(t->name.text[-1])) {
		t->name.text--;
		t->name.len++;
	}
	for (at = open; *at; at++) {
		bool is_arrow = *at == '>' && at[-1] == '-';

		if (strchr("<([{", *at))
			depth++;
		else if (strchr(")]}", *at) || (*at == '>' && !is_arrow))
			depth--;
		if (depth == 0 || (depth == 1 && *at == ',')) {
			add_arg(t, from, at);
			from = at + 1;
		}
		if (depth == 0)
			break;
	}
	t->end = at + 1;
	return *at == '>' && t->name.len;
}

/* Keep the first @n arguments only. */
static void keep_args(struct template *t, size_t n)
{
	char *from = t->args[n - 1].text + t->args[n - 1].len;

	cut(from, t->end - 1 - from);
}

static bool is_one_of(struct span s, const char *const *words)
{
	while (*words && !span_is(s, *words))
		words++;
	return *words;
}

static bool is_plain(struct span s)
{
	return !memchr(s.text, '<', s.len);
}

static void shorten_container(struct template *t, bool plain_only)
{
	static const char *const sequences[] = { "vector", "list", "deque", "forward_list", NULL };
	static const char *const sets[] = { "set", "multiset", NULL };
	static const char *const maps[] = { "map", "multimap", NULL };
	const struct span *arg = t->args;

	if (plain_only && !is_plain(arg[0]))
		return;
	if (is_one_of(t->name, sequences) && t->nr_args == 2 && is_of(arg[1], "allocator", arg[0]))
		keep_args(t, 1);
	else if (is_one_of(t->name, sets) && t->nr_args == 3 && is_of(arg[1], "less", arg[0]) &&
		 is_of(arg[2], "allocator", arg[0]))
		keep_args(t, 1);
	else if (is_one_of(t->name, maps) && t->nr_args == 4 && is_of(arg[2], "less", arg[0]) &&
		 is_pair_allocator(arg[3], arg[0], arg[1]))
		keep_args(t, 2);
	else if (!plain_only && span_is(t->name, "unique_ptr") && t->nr_args == 2 &&
		 is_of(arg[1], "default_delete", arg[0]))
		keep_args(t, 1);
}

/* basic_string<char, char_traits<char>, allocator<char>> and the streams. */
static bool shorten_text(struct template *t)
{
	size_t prefix = strlen("basic_");
	bool is_wide = span_is(t->args[0], "wchar_t");

	if (t->name.len <= prefix || memcmp(t->name.text, "basic_", prefix))
		return false;
	if (!is_wide && !span_is(t->args[0], "char"))
		return false;
	if (t->nr_args < 2 || t->nr_args > 3 || !is_of(t->args[1], "char_traits", t->args[0]) ||
	    (t->nr_args == 3 && !is_of(t->args[2], "allocator", t->args[0])))
		return false;
	cut(t->name.text + t->name.len, t->end - t->name.text - t->name.len);
	if (is_wide)
		t->name.text[--prefix] = 'w';
	cut(t->name.text, prefix);
	return true;
}

/* __normal_iterator<T*, vector<T>> is vector<T>::iterator. */
static void shorten_iterator(char *name, struct template *t)
{
	static char plain_char[] = "char";
	struct span pointer = t->args[0], of = t->args[1], element = { NULL, 0 };
	char *start = t->name.text;
	const char *word;
	size_t n;
	bool is_const;

	if (!span_is(t->name, "__normal_iterator") || t->nr_args != 2 || pointer.len < 2)
		return;
	if (of.len > 8 && !memcmp(of.text, "vector<", 7))
		element = (struct span){ of.text + 7, of.len - 8 };
	else if (of.len >= 6 && !memcmp(of.text + of.len - 6, "string", 6))
		element = (struct span){ plain_char, 4 };
	if (!element.len || pointer.len <= element.len ||
	    memcmp(pointer.text, element.text, element.len))
		return;
	is_const = pointer.len == element.len + 7 &&
		   !memcmp(pointer.text + element.len, " const*", 7);
	if (!is_const && (pointer.len != element.len + 1 || pointer.text[element.len] != '*'))
		return;
	if (start - name >= 11 && !memcmp(start - 11, "__gnu_cxx::", 11))
		start -= 11;
	/* the text before is longer than the new one with "::const_iterator" */
	n = of.len;
	memmove(start, of.text, n);
	word = is_const ? "::const_iterator" : "::iterator";
	memcpy(start + n, word, strlen(word));
	n += strlen(word);
	cut(start + n, t->end - start - n);
}

void shorten_name(char *name, bool plain_only)
{
	size_t len = strlen(name);

	if (len > LONGEST_NAME)
		return;
	drop_words(name, "std::");
	if (!plain_only)
		drop_words(name, "__cxx11::");
	join_brackets(name);
	for (size_t i = strlen(name); i-- > 0;) {
		struct template t;

		if (name[i] != '<' || !parse(name, name + i, &t) || t.nr_args > MAX_ARGS ||
		    span_is(t.name, "operator"))
			continue;
		if (shorten_text(&t))
			continue;
		shorten_container(&t, plain_only);
		if (parse(name, name + i, &t) && t.nr_args <= MAX_ARGS)
			shorten_iterator(name, &t);
	}
}
