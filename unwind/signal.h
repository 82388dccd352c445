/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal.h - rows for returns from signal handlers that no call frame information tells of
 *
 * Such code is known by its bytes: it does nothing but the system call rt_sigreturn(). [UT-48]
 */
#ifndef UNWIND_SIGNAL_H
#define UNWIND_SIGNAL_H

#include "unwind/elf.h"
#include "unwind/rows.h"

/*
 * Rows for what is found of it in @elf, called before others are added: of what has call frame
 * information all the same these count. -errno as of unwind_build_fd().
 */
int unwind_signal_add(const struct unwind_elf *elf, struct unwind_rules *rules,
		      struct unwind_rows *rows);

#endif
