// SPDX-License-Identifier: GPL-2.0-or-later
/* error.c - the message of a failure, returned to the caller instead of printed */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "libutil/error.h"
#include "libutil/plain_text.h"

int op_error_set(struct op_error *e, int err, const char *format, ...)
{
	char *text;
	va_list args;
	int n;

	if (!e)
		return err;
	/* formatted into a copy: the old text may be among the arguments */
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return err;
	shorten_words(text);
	snprintf(e->text, sizeof(e->text), "%s", text);
	free(text);
	return err;
}
