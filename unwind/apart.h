/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart.h - build the unwind table of a binary in a confined process
 *
 * A malicious binary can crash, fool or delay that process only (libutil/sandbox/worker.h): the
 * table that it answers has passed op_unwind_check() here.
 */
#ifndef UNWIND_APART_H
#define UNWIND_APART_H

#include <stddef.h>
#include <stdint.h>
#include "unwind/cache.h"

/*
 * As unwind_build_fd(), or with a @window other than 0 unwind_build_copy_fd(), and -ECANCELED: the
 * process crashed, exceeded a limit or answered nonsense, or @stop_fd became readable meanwhile.
 * *ret_cpu_ns: its CPU time, according to itself. The blob of *ret is malloc'd.
 */
int unwind_build_apart(int fd, uint32_t window, size_t limit, int stop_fd,
		       struct unwind_table *ret, uint64_t *ret_cpu_ns);

#endif
