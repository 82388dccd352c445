/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_snapshot.h - stats/kernel-symbols over the life of a session
 *
 * kernel_symbols_capture() writes down what is loaded now. A session also needs the symbols of
 * modules that were unloaded since, and must not mix two boots: sample files of the kernel hold
 * absolute addresses.
 */
#ifndef DAEMON_RECORD_KERNEL_SNAPSHOT_H
#define DAEMON_RECORD_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include "libutil/error.h"

/*
 * Capture into @snapshot; parts of modules that stood there and are not loaded now are kept.
 * Errors of kernel_symbols_capture(), and what stood there stays.
 */
int snapshot_update(const char *kallsyms, const char *modules, const char *snapshot,
		    struct op_error *e);

/* Did the kernel lie elsewhere when @snapshot was made? False if that cannot be told. */
bool snapshot_is_of_another_boot(const char *kallsyms, const char *snapshot);

#endif
