// SPDX-License-Identifier: GPL-2.0-or-later
/* warn.c - messages of readers and writers */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "formats/format.h"

void format_locate(const char *path, const char *text, struct op_error *ret)
{
	unsigned long line;
	int prefix = 0;

	if (sscanf(text, "line %lu: %n", &line, &prefix) == 1 && prefix)
		op_error_set(ret, 0, "%s:%lu: %s", path, line, text + prefix);
	else
		op_error_set(ret, 0, "%s: %s", path, text);
}

void format_warn(const struct format_warnings *w, const char *format, ...)
{
	struct op_error text;
	va_list args;

	if (!w || !w->warn)
		return;
	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	w->warn(w->context, text.text);
}

int format_warn_or_fail(const struct format_read_options *options, struct op_error *e,
			const char *format, ...)
{
	struct op_error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	if (options->strict)
		return op_error_set(e, -EPROTO, "%s", text.text);
	format_warn(options->warnings, "%s", text.text);
	return 0;
}

bool format_skip(const struct format_read_options *options, const struct op_error *e,
		 const char *what)
{
	if (options->salvage)
		format_warn(options->warnings, "%s; %s skipped", e->text, what);
	return options->salvage;
}
