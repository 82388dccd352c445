/* SPDX-License-Identifier: GPL-2.0-or-later */
/* java_name.c - parse a class, a method and a descriptor (JVM specification, 4.3) */
#include "pp/binary/java_name.h"

#include <stddef.h>
#include <string.h>

#define MAX_DIMENSIONS	255	/* of an array, by the specification */

static const char *primitive(char c)
{
	switch (c) {
	case 'B': return "byte";
	case 'C': return "char";
	case 'D': return "double";
	case 'F': return "float";
	case 'I': return "int";
	case 'J': return "long";
	case 'S': return "short";
	case 'Z': return "boolean";
	case 'V': return "void";	/* of results only */
	}
	return NULL;
}

/* "Ljava/lang/Object;" at @p: append the class. Returns what follows, or NULL. */
static const char *put_class(const char *p, bool is_short, struct strbuf *out)
{
	const char *end, *from = p + 1;

	if (*p != 'L')
		return NULL;
	end = from + strcspn(from, ";()[");
	if (*end != ';' || end == from)
		return NULL;
	for (const char *at = from; is_short && at < end; at++)
		if (*at == '/' && at + 1 < end && (at[1] < '0' || at[1] > '9'))
			from = at + 1;
	for (; from < end; from++)
		strbuf_add_char(out, *from == '/' ? '.' : *from);
	return end + 1;
}

static const char *put_type(const char *p, bool is_short, struct strbuf *out)
{
	const char *word;
	size_t dimensions = 0;

	for (; *p == '['; p++)
		if (++dimensions > MAX_DIMENSIONS)
			return NULL;
	word = primitive(*p);
	if (word) {
		strbuf_add(out, word);
		p++;
	} else {
		p = put_class(p, is_short, out);
	}
	while (p && dimensions--)
		strbuf_add(out, "[]");
	return p;
}

static const char *put_arguments(const char *p, bool is_short, struct strbuf *out)
{
	bool is_first = true;

	strbuf_add_char(out, '(');
	for (; p && *p != ')'; is_first = false) {
		if (!is_first)
			strbuf_add(out, ", ");
		p = *p == 'V' ? NULL : put_type(p, is_short, out);
	}
	strbuf_add_char(out, ')');
	return p;
}

/* The result is left out, like people do: it does not tell overloaded methods apart. */
bool java_name(const char *name, bool is_short, struct strbuf *out)
{
	struct strbuf ignored = STRBUF_INIT;
	size_t before = out->len, n;
	const char *p = put_class(name, false, out);

	n = p ? strcspn(p, ";([/.)") : 0;
	if (n && p[n] == '(') {
		strbuf_add_char(out, '.');
		strbuf_add_bytes(out, p, n);
		p = put_arguments(p + n + 1, is_short, out);
		if (p)
			p = put_type(p + 1, false, &ignored);
	} else {
		p = NULL;
	}
	strbuf_free(&ignored);
	if (p && !*p)
		return true;
	strbuf_truncate(out, before);
	return false;
}
