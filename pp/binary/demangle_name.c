/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_name.c - demangle with libiberty, which is part of libbfd; Java's names by java_name.c
 *
 * A name of two hundred letters can expand to gigabytes, because its parts may refer to each
 * other. The demangler passes its text piece by piece, and add_piece() leaves it with longjmp()
 * when the text is too long: the demangler has no memory but its stack.
 */
#include "pp/binary/demangle_name.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "pp/binary/java_name.h"
#include "pp/binary/shorten_name.h"

#define DMGL_PARAMS	(1 << 0)	/* of demangle.h, which is not always installed */
#define DMGL_ANSI	(1 << 1)

#define LONGEST_NAME	(64 * 1024)	/* of a demangled one */

typedef void (*demangle_sink)(const char *text, size_t n, void *context);

/* Each returns 0 if the name is not mangled by its scheme. */
int rust_demangle_callback(const char *mangled, int options, demangle_sink sink, void *context);
int cplus_demangle_v3_callback(const char *mangled, int options, demangle_sink sink,
			       void *context);

struct bounded {
	struct strbuf text;
	jmp_buf too_long;
};

static void add_piece(const char *text, size_t n, void *context)
{
	struct bounded *b = context;

	if (n > LONGEST_NAME - b->text.len)
		longjmp(b->too_long, 1);
	strbuf_add_bytes(&b->text, text, n);
}

/* A quick check: most names are not mangled, and all schemes in use begin so. */
static bool may_be_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == '_');
}

/* False, with nothing in @b: not mangled, or too long. Rust first: old Rust names look like C++. */
static bool demangle_into(struct bounded *b, const char *name)
{
	int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(b->too_long) == 0 &&
	    (rust_demangle_callback(name, options, add_piece, b) ||
	     cplus_demangle_v3_callback(name, options, add_piece, b)))
		return true;
	strbuf_free(&b->text);
	return false;
}

static char *demangle_java(char *name, enum demangle_style style)
{
	struct strbuf text = STRBUF_INIT;

	if (strlen(name) <= LONGEST_NAME / 8 &&		/* "Z" becomes "boolean, " */
	    java_name(name, style != DEMANGLE_NORMAL, &text))
		return strbuf_steal(&text);
	strbuf_free(&text);
	return name;
}

char *demangle_name(char *name, enum demangle_style style)
{
	struct bounded b = { .text = STRBUF_INIT };
	char *version;
	bool ok;

	if (style != DEMANGLE_NONE && name[0] == 'L')
		return demangle_java(name, style);
	if (style == DEMANGLE_NONE || !may_be_mangled(name))
		return name;
	version = strchr(name, '@');	/* "f@@V1" is f of that version */
	if (version)
		*version = '\0';
	ok = demangle_into(&b, name);
	if (version)
		*version = '@';
	if (!ok)
		return name;
	if (version)
		strbuf_add(&b.text, version);
	if (style != DEMANGLE_NORMAL)
		shorten_name(b.text.text, style == DEMANGLE_SMART_PLAIN);
	return strbuf_steal(&b.text);
}
