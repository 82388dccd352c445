/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle_name.h - C++ and Rust names as people write them */
#ifndef DEMANGLE_NAME_H
#define DEMANGLE_NAME_H

/* malloc'd demangled name, or @name itself if it is not a mangled one. */
char *demangle_name(char *name);

#endif
