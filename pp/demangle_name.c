/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle_name.c - through libbfd, which keeps symbol versions ("f@@V1") in place */
#include "demangle_name.h"

#include <string.h>

#include "binary_bfd.h"

#define DMGL_PARAMS	(1 << 0)	/* of libiberty's demangle.h, which libbfd is built with */
#define DMGL_ANSI	(1 << 1)

char *demangle_name(char *name)
{
	char *text;

	/* all schemes in use begin so; the rest is most of the names */
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R' && name[1] != '_'))
		return name;
	text = bfd_demangle(NULL, name, DMGL_PARAMS | DMGL_ANSI);
	return text ? text : name;
}
