/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refuse.c - op_refuse() of module/models.c, for parts of the module tested without that file */
#include <stdarg.h>
#include <stdio.h>
#include "module/counter.h"

int op_refuse(struct op_reason *why, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return err;
}
