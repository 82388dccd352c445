/* SPDX-License-Identifier: GPL-2.0-or-later */
/* version.h - the line that every program prints for --version; rules.mk defines OP_VERSION */
#ifndef LIBUTIL_VERSION_H
#define LIBUTIL_VERSION_H

#include <stdio.h>

static inline void version_print(const char *program)
{
	printf("%s: oprofile %s compiled on %s %s\n", program, OP_VERSION, __DATE__, __TIME__);
}

#endif
