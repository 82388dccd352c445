/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - oprofiled's command line */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/event_option.h"
#include "daemon/record/attribute.h"
#include "daemon/record/ext_feature.h"
#include "daemon/record/kernel.h"
#include "libutil/error.h"
#include "libdb/history/config.h"

struct options {
	char *session_dir;		/* absolute */
	char *collector;		/* "module", "perf" or "bpf" */
	char *cpu_type;			/* a name from events/cpu/type.h; "timer": by time */
	struct event_option events[EVENTS_MAX];
	unsigned int nr_events;
	struct kernel_config kernel;
	struct separation separate;
	char **wanted;			/* --image=: resolved paths, NULL terminated; NULL: all */
	unsigned int callgraph_depth;
	bool call_arcs;
	bool frame_pointers_only;	/* --unwind=fp */
	size_t unwind_memory;		/* bytes */
	bool idle;			/* sample the idle task */
	bool keep_history;		/* --history= */
	struct history_config history;
	bool world_readable;		/* all users may read the session */
	unsigned int log_topics;
	struct ext *ext;		/* --ext-feature=; NULL: none */
	bool foreground;
	bool begin;			/* sampling at once */
};

/*
 * Parse the command line; prints help or the version and exits 0 if requested. -EINVAL, with one
 * line for the user in @e. Free *ret with options_free() in either case.
 */
int options_parse(int argc, const char **argv, struct options *ret, struct op_error *e);
/*
 * Malloc'd: the events as opcontrol writes them, "NAME:count:um:kernel:user ...", one for each
 * counter; and the images of --image=, or "".
 */
char *options_events_text(const struct options *o);
char *options_images_text(const struct options *o);
void options_free(struct options *o);

#endif
