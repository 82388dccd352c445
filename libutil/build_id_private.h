/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_id_private.h - between the two halves of build_id: notes, and files that hold them */
#ifndef LIBUTIL_BUILD_ID_PRIVATE_H
#define LIBUTIL_BUILD_ID_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/build_id.h"

/* As build_id_read_notes(), of notes in the other byte order when @swapped. */
int build_id_find(const void *notes, size_t size, bool swapped, struct build_id *ret);

#endif
