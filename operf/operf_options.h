/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operf_options.h - operf's command line */
#ifndef OPERF_OPERF_OPTIONS_H
#define OPERF_OPERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "libutil/error.h"

#define OPERF_PIDS_MAX	64

struct operf_options {
	char **command;			/* NULL-terminated; NULL: no command */
	pid_t pids[OPERF_PIDS_MAX];	/* --pid= */
	unsigned int nr_pids;
	bool whole_machine;

	char **specs;			/* events, as typed */
	size_t nr_specs;
	double max_cost;		/* percent; MAX_COST_NONE: --exact-count */
	bool callgraph, call_arcs, separate_thread, separate_cpu, separate_cgroup, append, idle;
	char *session_dir;		/* as given; NULL: the default */
	char *vmlinux;			/* NULL: the running kernel's symbols */
	unsigned int log_topics;
};

/*
 * Parse the command line. For --help, --usage and --version prints the answer and exits with status
 * 0. -EINVAL: invalid. Call operf_options_free() in any case.
 */
int operf_options_parse(int argc, const char **argv, struct operf_options *ret,
			struct op_error *e);
void operf_options_free(struct operf_options *o);

#endif
