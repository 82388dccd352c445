/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hotspot.h - rows for code that a Java virtual machine made, by the layout of its frames */
#ifndef UNWIND_HOTSPOT_H
#define UNWIND_HOTSPOT_H

#include "libutil/opener/registered.h"
#include "unwind/rows.h"

/*
 * Add rows for @blob, whose code is at @code, as far as its kind is known and it is in the window:
 * [UT-73]. -ENOMEM, -EFBIG.
 */
int unwind_hotspot_add(const struct registered_blob *blob, const unsigned char *code,
		       uint32_t window, struct unwind_rules *rules, struct unwind_rows *rows);

#endif
