/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_runs.h - where code outside the kernel's own text lies, by /proc/kallsyms
 *
 * /proc/modules gives the size of all memory of a module. Since Linux 6.4 its text lies apart from
 * its data, with other code in between: BPF programs, trampolines, other modules. kallsyms lists
 * all of that by name, but without sizes.
 */
#ifndef DAEMON_RECORD_KERNEL_RUNS_H
#define DAEMON_RECORD_KERNEL_RUNS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Neighboring functions of one owner, or a BPF program. The end is a guess, rather too small than
 * too large.
 */
struct kernel_run {
	uint64_t start, last;
	/* a module, a BPF program's name, "bpf", "__builtin__ftrace", ...; in the storage */
	const char *owner;
};

struct kernel_runs {
	struct kernel_run *runs;	/* by start, disjoint */
	size_t nr_runs;
	char *storage;
};

/* From a copy of the contents of kallsyms. Hidden addresses make no runs. */
void kernel_runs_make(const char *kallsyms, size_t len, struct kernel_runs *ret);
void kernel_runs_free(struct kernel_runs *text);

#endif
