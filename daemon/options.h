/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - oprofiled's command line */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attribute.h"
#include "error.h"
#include "kernel.h"

#define EVENTS_MAX 32			/* counters; the timer uses number 0 alone */

/* NAME:value:counter:count:um:kernel:user */
struct event_option {
	char name[64];
	uint64_t value, count, unit_mask;
	unsigned int counter;
	bool kernel, user;
};

struct options {
	char *session_dir;		/* absolute */
	char *collector;		/* "module" or "perf" */
	struct event_option events[EVENTS_MAX];
	unsigned int nr_events;
	struct kernel_config kernel;
	struct separation separate;
	char **wanted;			/* --image=: resolved paths, NULL terminated; NULL: all */
	unsigned int callgraph_depth;
	unsigned int log_topics;
	bool foreground;
};

/*
 * Parse the command line; prints help or the version and exits 0 if asked to. -EINVAL with one
 * line for the user in @e. Free with options_free() in either case.
 */
int options_parse(int argc, const char **argv, struct options *ret, struct op_error *e);
/* Malloc'd: "NAME:count:um:kernel:user ...", as opcontrol writes them, and --image= or "". */
char *options_events_text(const struct options *o);
char *options_images_text(const struct options *o);
void options_free(struct options *o);

/* The parts of it that read text: for tests too. */
int events_parse(const char *text, struct event_option *ret, unsigned int max, unsigned int *ret_nr,
		 struct op_error *e);
int kernel_range_parse(const char *text, uint64_t *ret_start, uint64_t *ret_end,
		       struct op_error *e);

#endif
