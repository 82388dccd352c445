/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle_name.c - through libbfd, which keeps symbol versions ("f@@V1") in place */
#include "demangle_name.h"

#include <stdlib.h>
#include <string.h>

#define PACKAGE "oprofile"	/* bfd.h insists */
#define PACKAGE_VERSION "1"
#include <bfd.h>

#include "shorten_name.h"

#define DMGL_PARAMS	(1 << 0)	/* of libiberty's demangle.h, which libbfd is built with */
#define DMGL_ANSI	(1 << 1)

/* All schemes in use begin so; the rest is most of the names. */
static bool may_be_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == '_');
}

char *demangle_name(char *name, enum demangle_style style)
{
	char *text;

	if (style == DEMANGLE_NONE || !may_be_mangled(name))
		return name;
	text = bfd_demangle(NULL, name, DMGL_PARAMS | DMGL_ANSI);
	if (text && (style == DEMANGLE_SMART || style == DEMANGLE_SMART_PLAIN))
		shorten_name(text, style == DEMANGLE_SMART_PLAIN);
	return text ? text : name;
}
