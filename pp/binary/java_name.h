/* SPDX-License-Identifier: GPL-2.0-or-later */
/* java_name.h - Java methods as people write them, from the spelling of the virtual machine */
#ifndef PP_BINARY_JAVA_NAME_H
#define PP_BINARY_JAVA_NAME_H

#include <stdbool.h>
#include "libutil/strbuf.h"

/*
 * Append the method of "Ljava/util/List;add(ILjava/lang/Object;)V", an agent's name for it, to
 * @out: "java.util.List.add(int, java.lang.Object)"; if @is_short, classes of arguments without
 * their packages. False, with @out unchanged: not such a name.
 */
bool java_name(const char *name, bool is_short, struct strbuf *out);

#endif
