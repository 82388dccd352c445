/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portable.h - what the module's pure parts (ring.h, words.h, pmu_*.c, ibs.c, number.c) use of the
 * kernel, so that they also build in user space
 *
 * There they are tested with threads and sanitizers, which is expensive in a kernel. Names and
 * meanings are the kernel's.
 */
#ifndef MODULE_PORTABLE_H
#define MODULE_PORTABLE_H

#include "oprofilefs/op_types.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/atomic.h>
#include <asm/barrier.h>
#else
#include <errno.h>
#include <string.h>

#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)		__atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define xchg(p, value)			__atomic_exchange_n((p), (value), __ATOMIC_SEQ_CST)
#define smp_load_acquire(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, value)	__atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define smp_store_mb(x, value)		((void)__atomic_exchange_n(&(x), (value), __ATOMIC_SEQ_CST))
#define ____cacheline_aligned		__attribute__((aligned(64)))
#endif

#endif
