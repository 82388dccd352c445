/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.h - what opdoctor looks at
 *
 * A probe changes nothing: it loads no module, writes no file and starts no daemon. Each adds its
 * findings, whatever goes wrong, in any order and for any user.
 */
#ifndef CONTROL_OPDOCTOR_PROBES_H
#define CONTROL_OPDOCTOR_PROBES_H

#include <stdbool.h>
#include <sys/types.h>
#include "control/machine/host.h"
#include "control/machine/rights.h"
#include "control/opcontrol/setup.h"
#include "control/opdoctor/findings.h"

/* machine_init() describes the real machine; tests describe a fake one. */
struct machine {
	const char *root;		/* "", or a folder with proc, sys, etc, lib of a fake one */
	struct host host;
	int (*rights)(bool whole_machine, struct rights *ret, struct op_error *e);
	int (*try_bpf)(struct op_error *e);	/* load the BPF collector's program */
	uid_t uid;
	char release[65];		/* of the kernel: "6.1.0-44-amd64" */
	struct setup setup;		/* as saved for opcontrol */
	struct op_error setup_error;	/* why it could not be read, or "" */
};

void machine_init(struct machine *m);
void machine_free(struct machine *m);

/* Below m->root; the results are malloc'd. */
char *machine_path(const struct machine *m, const char *path);
bool machine_has(const struct machine *m, const char *path);
/* The first line of @path; NULL: it cannot be read. */
char *machine_line(const struct machine *m, const char *path);

void probe_collectors(const struct machine *m, struct findings *f);
void probe_counters(const struct machine *m, struct findings *f);
void probe_kernel(const struct machine *m, struct findings *f);
void probe_cost(const struct machine *m, struct findings *f);
void probe_daemon(const struct machine *m, struct findings *f);
/* Parses files of other users: call it last, after confine(). @name: "current", or a saved one. */
void probe_session(const struct machine *m, const char *session_dir, const char *name,
		   struct findings *f);

/* "the whole machine", "your own programs"; NULL: only what samples itself. After the probes. */
const char *what_can_be_profiled(const struct findings *f);

#endif
