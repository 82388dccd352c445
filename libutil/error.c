// SPDX-License-Identifier: GPL-2.0-or-later
/* error.c - the message of a failure, returned to the caller instead of printed */
#include <stdarg.h>
#include <stdio.h>
#include "libutil/error.h"

int op_error_set(struct op_error *e, int err, const char *format, ...)
{
	char text[sizeof(e->text)];
	va_list args;

	if (!e)
		return err;
	/* formatted into a copy: the old text may be among the arguments */
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	__builtin_memcpy(e->text, text, sizeof(text));
	return err;
}
