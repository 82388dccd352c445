/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal.h - rows for returns from signal handlers without call frame information
 *
 * Such code is recognized by its bytes: it only calls rt_sigreturn(). [UT-48]
 */
#ifndef UNWIND_SIGNAL_H
#define UNWIND_SIGNAL_H

#include "unwind/elf.h"
#include "unwind/rows.h"

/*
 * Add rows for such code in @elf, before all others, so that they take precedence over its call
 * frame information. -errno as unwind_build_fd().
 */
int unwind_signal_add(const struct unwind_elf *elf, struct unwind_rules *rules,
		      struct unwind_rows *rows);

#endif
