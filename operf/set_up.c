// SPDX-License-Identifier: GPL-2.0-or-later
/* set_up.c - set operf up: rights, events, command, collector, session */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/machine/vmlinux.h"
#include "daemon/collect/registered/registered.h"
#include "daemon/privileges.h"
#include "daemon/record/ibs.h"
#include "libdb/session/header.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/sandbox/capabilities.h"
#include "libutil/sandbox/worker.h"
#include "libutil/xalloc.h"
#include "operf/operf.h"
#include "unwind/cache.h"

#define KALLSYMS	"/proc/kallsyms"
#define UNWIND_MEMORY	((size_t)64 << 20)	/* bytes, as oprofiled's --unwind-memory= */

/* ---- events and rights ---- */

static int check_rights(struct operf *o, struct op_error *e)
{
	int err = rights_find(o->options.whole_machine, &o->rights, e);

	for (unsigned int i = 0; i < o->options.nr_pids && !err; i++)
		err = rights_check_process(o->options.pids[i], e);
	return err;
}

static int make_plan(struct operf *o, struct op_error *e)
{
	const char *given = o->options.session_dir;
	struct plan_request request = {
		.specs = o->options.specs,
		.nr_specs = o->options.nr_specs,
		.callgraph_depth = o->options.callgraph ? OP_STACK_DEPTH_MAX : 0,
		.kernel = o->rights.kernel,
		.max_cost = o->options.max_cost,
		.earlier = o->options.append ? given ? given : PROFILE_DIR_DEFAULT : NULL,
	};

	return plan_make(&request, &o->plan, e);
}

static int find_kernel(struct operf *o, struct op_error *e)
{
	const char *given = o->options.vmlinux;
	int err;

	if (!given)
		return 0;
	o->kernel.vmlinux = path_absolute(given);
	if (!o->kernel.vmlinux || !file_exists(o->kernel.vmlinux))
		return op_error_set(e, -ENOENT, "--vmlinux: '%s' not found", given);
	o->kernel.mode = KERNEL_VMLINUX;
	err = vmlinux_check(o->kernel.vmlinux, false, e);
	return err ? err : vmlinux_range(o->kernel.vmlinux, KALLSYMS, &o->kernel.start,
					 &o->kernel.end, e);
}

/* ---- collector and session ---- */

static const struct collector_targets *make_targets(struct operf *o)
{
	if (o->options.whole_machine)
		return NULL;
	o->targets = (struct collector_targets){
		.pids = o->options.command ? &o->command.pid : o->options.pids,
		.nr = o->options.command ? 1 : o->options.nr_pids,
		.on_exec = o->options.command,
	};
	return &o->targets;
}

static int open_unwind(struct operf *o, struct op_error *e)
{
	int err = o->options.callgraph ? unwind_cache_create(UNWIND_MEMORY, &o->unwind) : 0;

	if (!err)
		err = registered_create(o->unwind, &o->registered);
	return err ? op_error_set(e, err, "cannot create unwind tables: %s", strerror(-err)) : 0;
}

static int open_collector(struct operf *o, struct op_error *e)
{
	struct collector_config config = {
		.cpu_type = o->plan.options.cpu_type,
		.events = o->plan.asked.collected,
		.nr_events = o->plan.options.nr_events,
		.ibs = ibs_config_of(o->plan.options.ext),
		.targets = make_targets(o),
		.clock_khz = o->plan.clock_khz,
		.buffer_words = rights_ring_bytes() / sizeof(op_word) / 2,
		.callgraph_depth = o->options.callgraph ? OP_STACK_DEPTH_MAX : 0,
		.idle = o->options.idle,
		.cgroups = o->options.separate_cgroup,
		.comms = o->options.separate_thread,
		.unwind = o->unwind,
		.registered = o->registered,
	};
	int err;

	o->collector = collector_perf();
	err = o->collector->open(o->collector, &config, e);
	if (err)
		return err;
	o->collector_open = true;
	o->collector->status(o->collector, &o->status);
	return 0;
}

static void add_process(pid_t pid, struct strbuf *text)
{
	char *path = xasprintf("/proc/%d/comm", (int)pid), *comm;

	strbuf_addf(text, "%d", (int)pid);
	if (!file_read_all(path, 4096, &comm, NULL)) {
		comm[strcspn(comm, "\n")] = '\0';
		strbuf_addf(text, " (%s)", comm);
		free(comm);
	}
	free(path);
}

/* The command line, or "process 12 (cat), 13 (sh)"; NULL: the whole machine. */
static char *describe_profiled(const struct operf *o)
{
	struct strbuf text = STRBUF_INIT;

	if (o->options.whole_machine)
		return NULL;
	for (size_t i = 0; o->options.command && o->options.command[i]; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", o->options.command[i]);
	for (unsigned int i = 0; i < o->options.nr_pids; i++) {
		strbuf_add(&text, i ? ", " : "process ");
		add_process(o->options.pids[i], &text);
	}
	return strbuf_steal(&text);
}

static int open_recorder(struct operf *o, struct op_error *e)
{
	char *events = o->events_text = options_events_text(&o->plan.options);
	char *profiled = o->profiled = describe_profiled(o);
	struct recorder_config config = {
		.session_dir = o->dir.path,
		.collector = o->collector,
		.separate = { .lib = true, .kernel = true, .thread = o->options.separate_thread,
			      .cpu = o->options.separate_cpu,
			      .cgroup = o->options.separate_cgroup },
		.kernel = o->kernel,
		.cpu_type = o->plan.options.cpu_type,
		.clock_khz = o->plan.clock_khz,
		.events = o->plan.asked.filed,
		.nr_counters = o->plan.asked.nr_counters,
		.nr_events = o->plan.asked.nr_filed,
		.events_text = events,
		.profiled = profiled,
		.registered = o->registered,
		.unwind = o->unwind,
		.ext = o->plan.options.ext,
		.call_arcs = o->options.call_arcs,
	};
	int err = session_abi_write(o->dir.path, SAMPLE_VERSION_1X);

	if (err)
		return op_error_set(e, err, "cannot write '%s/abi': %s", o->dir.path,
				    strerror(-err));
	return recorder_open(&config, &o->recorder, e);
}

static int open_log(struct operf *o, struct op_error *e)
{
	o->log = session_samples_path(o->dir.path, PROFILE_LOG);
	log_topics = o->options.log_topics;
	return log_open(o->dir.log, e);
}

/* The command has its process already, and keeps all: signals are forwarded to it. */
static int drop_privileges(const struct operf *o, struct op_error *e)
{
	const char *given = o->options.session_dir;

	return privileges_drop(given ? given : PROFILE_DIR_DEFAULT, CAPABILITY(CAP_KILL), e);
}

int operf_set_up(struct operf *o, struct op_error *e)
{
	int err = check_rights(o, e);

	if (!err)
		err = worker_start(e);
	if (!err)
		err = make_plan(o, e);
	if (!err)
		err = find_kernel(o, e);
	if (!err)
		err = launch_signal_fd(&o->signal_fd, &o->mask, e);
	if (!err && o->options.command)
		err = launch_prepare(&o->command, o->options.command, &o->mask, e);
	for (unsigned int i = 0; i < o->options.nr_pids && !err; i++)
		watch_open(&o->processes[i], o->options.pids[i]);
	if (!err)
		err = drop_privileges(o, e);
	if (!err)
		err = open_unwind(o, e);
	if (!err)
		err = open_collector(o, e);
	if (!err)
		err = profile_dir_open(o->options.session_dir, &o->dir, e);
	sfiles_raise_limit();
	if (!err)
		err = profile_dir_begin(&o->dir, o->options.append, e);
	if (!err)
		err = ext_open(o->plan.options.ext, o->dir.path, e);
	if (!err)
		err = open_log(o, e);
	return err ? err : open_recorder(o, e);
}
