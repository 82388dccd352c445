/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwinders.h - the unwinders that every walker has */
#ifndef LIBSAMPLER_UNWIND_UNWINDERS_H
#define LIBSAMPLER_UNWIND_UNWINDERS_H

#include "libsampler/sampling.h"

/* By call frame information: context is from unwind_dwarf_new(). */
extern const struct sampler_unwinder_ops unwind_dwarf;
int unwind_dwarf_new(void **ret_context);

/*
 * By frame pointers, one frame at a time, so that a better unwinder can continue from there: the
 * words at fp are the caller's fp and the return address. No context. [SM-44]
 */
extern const struct sampler_unwinder_ops unwind_frame_pointer;

#endif
