/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_boots.h - one row per kernel symbol in sessions of several boots
 *
 * Each boot puts the kernel at other addresses, so its symbols are looked up per session; rows of
 * the same function are then added up [SY-11].
 */
#ifndef PP_REPORT_MERGE_BOOTS_H
#define PP_REPORT_MERGE_BOOTS_H

#include <stddef.h>
#include "pp/report/arc_files.h"
#include "pp/report/symbols.h"

/*
 * Add up rows of the same image, application and name but different sessions. The n-th symbol of
 * a name in one boot corresponds to the n-th in another; the first boot's address is kept.
 * Ends of the @nr_arcs (may be 0) @arcs are changed to the rows that stay.
 */
void merge_boots(struct row_list *rows, struct raw_arc *arcs, size_t nr_arcs);

#endif
