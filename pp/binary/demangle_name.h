/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle_name.h - C++ and Rust names as people write them */
#ifndef PP_BINARY_DEMANGLE_NAME_H
#define PP_BINARY_DEMANGLE_NAME_H

enum demangle_style {
	DEMANGLE_NONE,
	DEMANGLE_NORMAL,
	DEMANGLE_SMART,		/* and with the standard library's templates shortened [SY-14] */
	DEMANGLE_SMART_PLAIN,	/* the same as far as the original does */
};

/* malloc'd demangled name, or @name itself if it is not a mangled one. */
char *demangle_name(char *name, enum demangle_style style);

#endif
