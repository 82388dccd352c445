/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_boots.h - one row per kernel symbol, also over sessions of several boots
 *
 * Each boot puts the kernel at other addresses, so its symbols are looked up per session; what is
 * one function to the reader must then become one row again [SY-11].
 */
#ifndef MERGE_BOOTS_H
#define MERGE_BOOTS_H

#include <stddef.h>
#include "symbols.h"

/*
 * Rows from @starts[0] up to @limit are of one image, from @starts[i] on of its boot i (@nr boots).
 * The n-th symbol of a name in one boot is the n-th of that name in another; the first boot's
 * address is kept.
 */
void merge_boots(struct row_list *rows, const size_t *starts, size_t nr, size_t limit);

#endif
