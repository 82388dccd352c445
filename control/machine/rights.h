/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h - what this user may profile with perf_event_open(2), and what to do for more
 *
 * Tries the system call, because sysctls, capabilities, seccomp filters and security modules can
 * all forbid it. If it fails, the reason is looked for in these.
 */
#ifndef CONTROL_MACHINE_RIGHTS_H
#define CONTROL_MACHINE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "libutil/error.h"

struct rights {
	bool kernel;			/* may profile the kernel, too */
	char no_kernel[160];		/* why not */
};

/*
 * Whether this user may profile the whole machine, or own programs. -EACCES, -EPERM, -ENOSYS: no;
 * @e has the reason and the remedy.
 */
int rights_find(bool whole_machine, struct rights *ret, struct op_error *e);

/* The same for a running process, of any user. -ESRCH: not found. */
int rights_check_process(pid_t pid, struct op_error *e);

/* Whether the CPU's counters are available: 0, or -errno of counting cycles. */
int rights_try_cycles(void);

/* Why the kernel's addresses are hidden, and what to do to see them. */
void rights_explain_hidden(char *ret, size_t size);

/* Memory that this user may lock for the ring of each CPU, in bytes; 0: no limit. */
size_t rights_ring_bytes(void);

#endif
