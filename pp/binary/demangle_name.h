/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle_name.h - C++, Rust and Java names as in the source */
#ifndef PP_BINARY_DEMANGLE_NAME_H
#define PP_BINARY_DEMANGLE_NAME_H

enum demangle_style {
	DEMANGLE_NONE,
	DEMANGLE_NORMAL,
	DEMANGLE_SMART,		/* and the standard library's templates shortened [SY-14] */
	DEMANGLE_SMART_PLAIN,	/* shortened only as far as the original does */
};

/* The demangled name, malloc'd, or @name itself if it is not mangled. */
char *demangle_name(char *name, enum demangle_style style);

#endif
