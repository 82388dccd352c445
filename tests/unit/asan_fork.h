/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asan_fork.h - whether a child forked while other threads allocate may allocate itself
 *
 * The C library holds its allocator's locks across fork(). AddressSanitizer's allocator does so
 * since LLVM 18 and gcc 15; before, a lock that another thread held in the parent stays locked in
 * the child for ever, and the child hangs in malloc() or free().
 */
#ifndef ASAN_FORK_H
#define ASAN_FORK_H

#if defined(__clang__)
#define ASAN_LOCKS_CHILDREN	(__has_feature(address_sanitizer) && __clang_major__ < 18)
#elif defined(__SANITIZE_ADDRESS__)
#define ASAN_LOCKS_CHILDREN	(__GNUC__ < 15)
#else
#define ASAN_LOCKS_CHILDREN	0
#endif

#endif
