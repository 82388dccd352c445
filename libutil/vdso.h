/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso.h - the code that the kernel maps into every process */
#ifndef LIBUTIL_VDSO_H
#define LIBUTIL_VDSO_H

#include <stddef.h>

/* The vdso of this process, an ELF image of *ret_size bytes in whole pages; or NULL. */
const void *vdso_image(size_t *ret_size);

#endif
