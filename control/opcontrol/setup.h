/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - the set-up: what is profiled, and how
 *
 * Read from the saved file (daemonrc.h), changed by options (setup_set()), and checked as a whole
 * (setup_check(), control/plan/plan.h) before it is saved or used.
 */
#ifndef CONTROL_OPCONTROL_SETUP_H
#define CONTROL_OPCONTROL_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "control/opcontrol/buffer_sizes.h"
#include "events/request.h"
#include "libutil/error.h"
#include "oprofilefs/op_abi.h"

#define SETUP_MAX_EVENTS	32
#define SETUP_MAX_CALLGRAPH	OP_STACK_DEPTH_MAX	/* callers */

#define VMLINUX_DEFAULT	""		/* the running kernel's own symbols, /proc/kallsyms */
#define VMLINUX_NONE	"none"		/* --no-vmlinux */

#define MODEL_ANY		""

#define MAX_COST_DEFAULT	1.0	/* percent of each CPU */
#define MAX_COST_MIN		0.01
#define MAX_COST_NONE		0.0	/* --exact-count: no bound */

enum collector_request { COLLECTOR_AUTO, COLLECTOR_MODULE, COLLECTOR_PERF, COLLECTOR_BPF };

struct setup {
	char *session_dir;		/* absolute */
	struct event_request events[SETUP_MAX_EVENTS];
	size_t nr_events;		/* 0: the default event of the collector */
	uint64_t rate;			/* of that one, samples a second; 0: its own count */
	double max_cost;		/* of sampling by time, in percent of each CPU */
	bool separate_lib, separate_kernel, separate_thread, separate_cpu, separate_cgroup;
	char *vmlinux;			/* a path, VMLINUX_DEFAULT or VMLINUX_NONE */
	uint64_t kernel_start, kernel_end;	/* addresses; both 0: detected when needed */
	char *image_filter;		/* comma separated paths; "": all */
	uint64_t buffer_sizes[NR_BUFFERS];	/* 0: the default */
	uint64_t callgraph_depth;	/* callers of a sample, 0 off */
	bool call_arcs;			/* {cg} files, too */
	bool frame_pointers_only;	/* stacks without unwind tables */
	uint64_t unwind_memory;		/* MB for tables; 0: the default */
	char *history;			/* a time, as for oprofiled; "": none is kept */
	char *history_quota, *history_slice;	/* "": the default */
	bool idle;			/* record samples of the idle task */
	bool world_readable;		/* all users may read the samples */
	enum collector_request collector;
	const char *model;		/* of model_by_name(); MODEL_ANY: as it was loaded */
};

void setup_init(struct setup *s);	/* the defaults */
void setup_free(struct setup *s);

/* The set-up options. In the order of opcontrol --help. */
enum setting_id {
	SET_EVENT,		/* "default", or one more event: events/request.h */
	SET_MAX_COST,		/* percent */
	SET_EXACT_COUNT,	/* MAX_COST_NONE */
	SET_SEPARATE,		/* none lib library kernel thread cpu cgroup all, comma separated */
	SET_VMLINUX,		/* a path, or "kallsyms" for VMLINUX_DEFAULT */
	SET_NO_VMLINUX,
	SET_KERNEL_RANGE,	/* START,END in hex */
	SET_IMAGE,		/* "all" or PATH[,PATH] */
	SET_BUFFER_SIZE,
	SET_BUFFER_WATERSHED,
	SET_CPU_BUFFER_SIZE,
	SET_CALLGRAPH,
	SET_CALL_ARCS,		/* yes (or no value) or no */
	SET_UNWIND,		/* tables or fp */
	SET_UNWIND_MEMORY,	/* MB */
	SET_HISTORY,		/* a time (or no value), or no */
	SET_QUOTA,
	SET_SLICE,
	SET_IDLE,
	SET_NO_IDLE,
	SET_WORLD_READABLE,
	SET_NO_WORLD_READABLE,
	SET_SESSION_DIR,
	SET_COLLECTOR,		/* module perf auto */
	SET_MODEL,		/* auto, intel, amd, perf, nmi-ipi or timer */
};

struct setting {
	enum setting_id id;
	char *value;		/* NULL for those that take none */
};

/*
 * Apply the options of one command line, in order. Its first event replaces all earlier ones, and a
 * kernel image invalidates the earlier range. -EINVAL, or the errno of a named file: @s is
 * undefined.
 */
int setup_set(struct setup *s, const struct setting *settings, size_t nr, struct op_error *e);

/*
 * Check what does not depend on the machine: sizes of buffers, kernel range. -EINVAL. Events are
 * checked by control/plan/plan.h.
 */
int setup_check(const struct setup *s, struct op_error *e);

/* CTL-11: saved values consist of letters, digits and _ : , . / -. */
bool setup_value_ok(const char *value);

const char *collector_request_name(enum collector_request request);	/* "auto" ... */
int collector_request_parse(const char *text, enum collector_request *ret);	/* -EINVAL */

/* MAX_COST_MIN to 100 (percent). -EINVAL. */
int max_cost_parse(const char *text, double *ret);

#endif
