/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ophelp.h - shared by the parts of ophelp: the kinds of CPU, and how to list their events
 */
#ifndef CONTROL_OPHELP_OPHELP_H
#define CONTROL_OPHELP_OPHELP_H

#include <stdbool.h>
#include <stdio.h>
#include "events/cpu/machine_events.h"
#include "events/table/table.h"

#define OPHELP_WIDTH 99 /* columns, if the output is not a terminal */

/* One kind of CPU; only hybrid machines have several. */
struct help_cpu {
	struct cpu_kind kind;
	struct event_table *table; /* NULL for a timer */
};

struct help_cpus {
	struct help_cpu cpu[CPU_KINDS_MAX];
	unsigned int nr;
};

enum help_action {
	HELP_LIST,
	HELP_CODE, /* "ophelp NAME" */
	HELP_CHECK,
	HELP_MASK,    /* -u */
	HELP_EXTRA,   /* -E */
	HELP_TYPE,    /* -r */
	HELP_DEFAULT, /* -d */
	HELP_LIST_TYPES,
	HELP_HELP,
	HELP_USAGE,
	HELP_VERSION,
};

struct help_options {
	enum help_action action;
	const char *cpu_type; /* NULL: this machine's */
	bool xml, json, ignore_count, compat;
	unsigned int callgraph;
	const char **events; /* ends with NULL; never NULL */
	size_t nr_events;
};

/* options.c. -EINVAL: invalid options. Strings live until help_options_free(). */
int help_options_parse(int argc, const char **argv, struct help_options *ret, struct op_error *e);
void help_options_free(void);
void help_options_print(bool usage_only);

/* text.c: the list as text, at most @width columns wide. */
void help_list_text(const struct help_cpu *cpu, unsigned int width, bool compat, FILE *out);

/* Where the type's events are documented, one or two lines; or "". */
const char *help_manual(const struct cpu_type *type);

/* markup.c: the list for programs. XML follows OProfile's schema 2.0 for each kind. */
void help_list_xml(const struct help_cpus *cpus, bool compat, FILE *out);
void help_list_json(const struct help_cpus *cpus, FILE *out);

/*
 * answer.c: check the events and print the answer to the action, a line for each kind of
 * CPU that has them. Errors as in events/request.h.
 */
int help_answer(const struct help_cpus *cpus, const struct help_options *o, struct op_error *e);

#endif
