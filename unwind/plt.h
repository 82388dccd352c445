/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h - rows for procedure linkage tables without call frame information
 *
 * GNU ld writes it only on x86-64, and not for static programs; other linkers never do. The form of
 * an entry tells what it does to the stack. [UT-49]
 */
#ifndef UNWIND_PLT_H
#define UNWIND_PLT_H

#include "unwind/elf.h"
#include "unwind/rows.h"

/*
 * Add rows for all such sections of @elf, after the FDEs, which take precedence. Adds the size of
 * the sections to *bytes. -errno as unwind_build_fd().
 */
int unwind_plt_add(struct unwind_elf *elf, struct unwind_rules *rules, struct unwind_rows *rows,
		   uint64_t *bytes);

#endif
