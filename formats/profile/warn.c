// SPDX-License-Identifier: GPL-2.0-or-later
/* warn.c - what readers and writers say on their way */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "formats/format.h"

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

int format_doubt(const struct format_read_options *options, struct op_error *e,
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
