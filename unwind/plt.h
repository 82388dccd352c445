/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h - rows for procedure linkage tables that nobody wrote call frame information for
 *
 * GNU ld does so on x86-64 only, and not for static programs; other linkers never do. What their
 * entries do to the stack follows from their form. [UT-49]
 */
#ifndef UNWIND_PLT_H
#define UNWIND_PLT_H

#include "unwind/elf.h"
#include "unwind/rows.h"

/*
 * Rows for all such sections of @elf; where there are FDEs, which must be there already, those
 * count. Adds to *bytes what the sections have. -errno as of unwind_build_fd().
 */
int unwind_plt_add(struct unwind_elf *elf, struct unwind_rules *rules, struct unwind_rows *rows,
		   uint64_t *bytes);

#endif
