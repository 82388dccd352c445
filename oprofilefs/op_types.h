/* SPDX-License-Identifier: GPL-2.0-or-later */
/* op_types.h - the kernel's integer types, for files that also build in user space */
#ifndef OPROFILEFS_OP_TYPES_H
#define OPROFILEFS_OP_TYPES_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int32_t s32;
typedef int16_t s16;

#undef __always_inline
#define __always_inline			inline __attribute__((always_inline))
#endif

#endif
