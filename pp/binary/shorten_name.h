/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shorten_name.h - C++ names without what the standard library's defaults add [SY-14] */
#ifndef PP_BINARY_SHORTEN_NAME_H
#define PP_BINARY_SHORTEN_NAME_H

#include <stdbool.h>

/*
 * "std::vector<int, std::allocator<int> >" becomes "vector<int>", in place. @plain_only, as in
 * the original: containers of templates stay as they are.
 */
void shorten_name(char *name, bool plain_only);

#endif
