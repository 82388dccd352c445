/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shorten_name.h - remove default template arguments of the standard library [SY-14], or all */
#ifndef PP_BINARY_SHORTEN_NAME_H
#define PP_BINARY_SHORTEN_NAME_H

#include <stdbool.h>

/*
 * Make "vector<int>" of "std::vector<int, std::allocator<int> >", in place. @plain_only: do not
 * shorten containers of templates, as in the original.
 */
void shorten_name(char *name, bool plain_only);

/*
 * A name for narrow places, malloc'd: "std::map<...>::operator[]" of "int& std::map<int, int,
 * ...>::operator[](int const&)" [PI-15]. Two functions may get the same one.
 */
char *brief_name(const char *name);

#endif
