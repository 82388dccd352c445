/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso.h - the table of the code that the kernel maps into every process */
#ifndef UNWIND_VDSO_H
#define UNWIND_VDSO_H

#include <stddef.h>
#include "unwind/cache.h"

/* The image, which stays, or NULL: this process has none. */
const void *unwind_vdso_image(size_t *ret_size);

/* Rows count from the vdso's first byte. -ENOENT: this process has none; -errno. */
int unwind_vdso_table(struct unwind_table *ret);

#endif
