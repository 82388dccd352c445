/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso.h - the unwind table of the code that the kernel maps into every process */
#ifndef UNWIND_VDSO_H
#define UNWIND_VDSO_H

#include "unwind/cache.h"

/* Addresses count from the first byte of the vdso. -ENOENT: this process has none; or -errno. */
int unwind_vdso_table(struct unwind_table *ret);

#endif
