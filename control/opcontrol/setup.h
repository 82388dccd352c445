/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - what is to be profiled and how: the set-up that outlives one command
 *
 * Filled from the saved file (daemonrc.h), changed by options (setup_set()), judged as a
 * whole (setup_check(), control/plan/plan.h) before it is saved or used.
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

enum collector_wish { COLLECTOR_AUTO, COLLECTOR_MODULE, COLLECTOR_PERF };

struct setup {
	char *session_dir;		/* absolute */
	struct event_request events[SETUP_MAX_EVENTS];
	size_t nr_events;		/* 0: the default event of what will sample */
	bool separate_lib, separate_kernel, separate_thread, separate_cpu, separate_cgroup;
	char *vmlinux;			/* a path, VMLINUX_DEFAULT or VMLINUX_NONE */
	uint64_t kernel_start, kernel_end;	/* addresses; both 0: found out when needed */
	char *image_filter;		/* comma separated paths; "": all */
	uint64_t buffer_sizes[NR_BUFFERS];	/* 0: the default */
	uint64_t callgraph_depth;	/* callers of a sample, 0 off */
	bool frame_pointers_only;	/* stacks without unwind tables */
	uint64_t unwind_memory;		/* MB for tables; 0: the default */
	enum collector_wish collector;
	const char *model;		/* one of model_wish()'s; MODEL_ANY: as the module is */
};

void setup_init(struct setup *s);	/* the defaults */
void setup_free(struct setup *s);

/* The set-up options. In the order of opcontrol --help. */
enum setting_id {
	SET_EVENT,		/* "default", or one more event: events/request.h */
	SET_SEPARATE,		/* none lib library kernel thread cpu cgroup all, comma separated */
	SET_VMLINUX,		/* a path, or "kallsyms" for VMLINUX_DEFAULT */
	SET_NO_VMLINUX,
	SET_KERNEL_RANGE,	/* START,END in hex */
	SET_IMAGE,		/* "all" or PATH[,PATH] */
	SET_BUFFER_SIZE,
	SET_BUFFER_WATERSHED,
	SET_CPU_BUFFER_SIZE,
	SET_CALLGRAPH,
	SET_UNWIND,		/* tables or fp */
	SET_UNWIND_MEMORY,	/* MB */
	SET_SESSION_DIR,
	SET_COLLECTOR,		/* module perf auto */
	SET_MODEL,		/* auto, intel, amd, perf, nmi-ipi or timer */
};

struct setting {
	enum setting_id id;
	char *value;		/* NULL for those that take none */
};

/*
 * Apply the options of one command line, in order; its first event replaces all earlier
 * ones, a kernel image the range of the one before. -EINVAL, or the errno of a file that was
 * named, explained in @e: @s is then of no use.
 */
int setup_set(struct setup *s, const struct setting *settings, size_t nr, struct op_error *e);

/*
 * Judge what can be judged without the machine: that sizes of buffers, and a kernel range, go with
 * the rest. -EINVAL. Events are judged by control/plan/plan.h.
 */
int setup_check(const struct setup *s, struct op_error *e);

/* CTL-11: nothing but letters, digits and _ : , . / - may stand in a saved value. */
bool setup_value_ok(const char *value);

const char *collector_wish_name(enum collector_wish wish);	/* "auto", "module", "perf" */
int collector_wish_parse(const char *text, enum collector_wish *ret);	/* -EINVAL */

/* "tables" or "fp". -EINVAL. */
int unwind_parse(const char *text, bool *ret_frame_pointers_only);

/* The model of that name, for struct setup; NULL: there is none. */
const char *model_wish(const char *name);

/* "ADDRESS,ADDRESS" in hex, with or without 0x; start below end. -EINVAL. */
int setup_kernel_range(const char *text, uint64_t *ret_start, uint64_t *ret_end);

#endif
