/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_snapshot.h - stats/kernel-symbols over the life of a session
 *
 * kernel_symbols_make() has what is loaded now. A session also needs the symbols of modules
 * that have been unloaded, and must not mix two boots, because sample files of the kernel have
 * absolute addresses.
 */
#ifndef DAEMON_RECORD_KERNEL_SNAPSHOT_H
#define DAEMON_RECORD_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/error.h"

/* The contents of /proc/kallsyms or a file like it, NUL terminated. */
struct snapshot_kallsyms {
	const char *path;
	char *text;
	size_t len;
	const char *parts;	/* "\n# module ...": of programs that may be unloaded; or NULL */
};

/*
 * Capture into @snapshot, keeping its parts of modules that are not loaded now. Fails as
 * kernel_symbols_make() does, and then leaves @snapshot as it is. The text is overwritten.
 */
int snapshot_update(const struct snapshot_kallsyms *kallsyms, const char *modules,
		    const char *snapshot, struct op_error *e);

/* Whether the kernel was at another address when @snapshot was written. False: or not known. */
bool snapshot_is_of_another_boot(const char *kallsyms, const char *snapshot);

#endif
