/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_vdso.h - the table of the code that the kernel maps into every process */
#ifndef DAEMON_UNWIND_VDSO_H
#define DAEMON_UNWIND_VDSO_H

#include <stddef.h>
#include "daemon/unwind_cache.h"

/* The image, which stays, or NULL: this process has none. */
const void *unwind_vdso_image(size_t *ret_size);

/* Rows count from the vdso's first byte. -ENOENT: this process has none; -errno. */
int unwind_vdso_table(struct unwind_table *ret);

#endif
