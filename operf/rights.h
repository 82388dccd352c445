/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h - what this user may watch with perf_event_open(2), and what to do for more
 *
 * The system call is asked, since sysctls, capabilities, seccomp filters and security modules all
 * have a say; where it refuses, whichever of these it was is looked for.
 */
#ifndef OPERF_RIGHTS_H
#define OPERF_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "libutil/error.h"

struct rights {
	bool kernel;			/* what happens in the kernel, too */
	char no_kernel[160];		/* why not, half a sentence */
};

/*
 * Whether the whole machine, or own programs, may be watched. -EACCES, -EPERM, -ENOSYS: not at
 * all; @e says by which setting, and how that is changed.
 */
int rights_find(bool whole_machine, struct rights *ret, struct op_error *e);

/* The same for the running process @pid: it may be somebody else's. -ESRCH: there is none. */
int rights_check_process(pid_t pid, struct op_error *e);

/* Whether the CPUs' counters can be had at all: 0, or -errno of asking for cycles. */
int rights_try_cycles(void);

/* What hides the kernel's addresses, and what to do to see them: half a sentence. */
void rights_explain_hidden(char *ret, size_t size);

/* Memory that this user may lock for each CPU's ring, in bytes; 0: no limit. */
size_t rights_ring_bytes(void);

#endif
