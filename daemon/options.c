// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - parse oprofiled's command line
 */
#include <errno.h>
#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/options.h"
#include "events/cpu/type.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/number.h"
#include "libutil/option_help.h"
#include "libutil/strbuf.h"
#include "libutil/version.h"
#include "libutil/xalloc.h"

/* As given; NULL or -1: not given. */
struct raw {
	char *session_dir, *collector, *cpu_type, *events, *vmlinux, *kernel_range, *images,
		*verbose, *ext_feature;
	char *unwind, *history, *quota, *slice;
	int no_vmlinux, foreground, version, help, callgraph_depth, unwind_memory, call_arcs, idle;
	int world_readable, begin;
	int lib, kernel, thread, cpu, cgroup;
};

static int hex_parse(const char *text, uint64_t *ret)
{
	char *with_prefix = strncmp(text, "0x", 2) ? xasprintf("0x%s", text) : xstrdup(text);
	int err = number_parse_u64(with_prefix, ret);

	free(with_prefix);
	return err;
}

static int parse_kernel_range(const char *text, uint64_t *ret_start, uint64_t *ret_end,
			      struct op_error *e)
{
	char *copy = xstrdup(text), *comma = strchr(copy, ',');
	uint64_t start, end;
	bool ok;

	if (comma)
		*comma++ = '\0';
	ok = comma && !hex_parse(copy, &start) && !hex_parse(comma, &end) && start && start < end;
	free(copy);
	if (!ok)
		return op_error_set(
			e, -EINVAL,
			"invalid value '%.60s' for --kernel-range: expected START,END in hex with "
			"START below END", text);
	*ret_start = start;
	*ret_end = end;
	return 0;
}

static int set_kernel(const struct raw *raw, struct options *o, struct op_error *e)
{
	const char *range = raw->kernel_range ? raw->kernel_range : getenv(KERNEL_RANGE_VARIABLE);

	if (raw->no_vmlinux && raw->vmlinux)
		return op_error_set(e, -EINVAL,
				    "--vmlinux and --no-vmlinux cannot be used together");
	if (raw->kernel_range && !raw->vmlinux)
		return op_error_set(e, -EINVAL, "--kernel-range requires --vmlinux=FILE");
	if (!raw->vmlinux) {
		o->kernel.mode = raw->no_vmlinux ? KERNEL_NO_VMLINUX : KERNEL_SYMBOLS;
		return 0;
	}
	if (!range)
		return op_error_set(e, -EINVAL, "--vmlinux requires --kernel-range=START,END");
	o->kernel.mode = KERNEL_VMLINUX;
	o->kernel.vmlinux = path_absolute(raw->vmlinux);
	if (!o->kernel.vmlinux || !file_exists(o->kernel.vmlinux))
		return op_error_set(e, -EINVAL, "--vmlinux: '%s' does not exist", raw->vmlinux);
	return parse_kernel_range(range, &o->kernel.start, &o->kernel.end, e);
}

static int set_flag(int value, bool *ret, const char *name, struct op_error *e)
{
	if (value != 0 && value != 1)
		return op_error_set(e, -EINVAL,
				    "invalid value %d for --separate-%s: expected 0 or 1", value,
				    name);
	*ret = value;
	return 0;
}

static int set_separation(const struct raw *raw, struct options *o, struct op_error *e)
{
	int err = set_flag(raw->lib, &o->separate.lib, "lib", e);

	if (!err)
		err = set_flag(raw->kernel, &o->separate.kernel, "kernel", e);
	if (!err)
		err = set_flag(raw->thread, &o->separate.thread, "thread", e);
	if (!err)
		err = set_flag(raw->cpu, &o->separate.cpu, "cpu", e);
	if (!err)
		err = set_flag(raw->cgroup, &o->separate.cgroup, "cgroup", e);
	return err;
}

/* Paths are resolved as far as they exist; a name without '/' is that of a kernel module. */
static void set_images(const char *list, struct options *o)
{
	char *copy = xstrdup(list), *part, *rest;
	size_t nr = 0, room = 0;

	for (part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
		char *absolute = strchr(part, '/') ? path_absolute(part) : NULL;

		xgrow(o->wanted, nr, room);
		o->wanted[nr++] = absolute ? absolute : xstrdup(part);
	}
	free(copy);
	if (!nr)
		return;
	xgrow(o->wanted, nr, room);
	o->wanted[nr] = NULL;
}

static int set_cpu_type(const struct raw *raw, struct options *o, struct op_error *e)
{
	o->cpu_type = xstrdup(raw->cpu_type ? raw->cpu_type : "timer");
	if (!cpu_type_by_name(o->cpu_type))
		return op_error_set(e, -EINVAL, "unknown CPU type '%.60s' for --cpu-type; 'ophelp "
				    "--get-cpu-type' prints this machine's", o->cpu_type);
	return 0;
}

static int set_stacks(const struct raw *raw, struct options *o, struct op_error *e)
{
	const char *unwind = raw->unwind ? raw->unwind : "tables";

	if (raw->callgraph_depth < 0 || raw->callgraph_depth > OP_STACK_DEPTH_MAX)
		return op_error_set(e, -EINVAL,
				    "invalid value %d for --callgraph-depth: expected 0 to %d",
				    raw->callgraph_depth, OP_STACK_DEPTH_MAX);
	if (strcmp(unwind, "tables") && strcmp(unwind, "fp"))
		return op_error_set(e, -EINVAL,
				    "invalid value '%s' for --unwind: expected tables or fp",
				    unwind);
	if (raw->unwind_memory < 0 || raw->unwind_memory > OP_UNWIND_MEMORY_MAX / 1024)
		return op_error_set(e, -EINVAL, "invalid value %d for --unwind-memory: expected 1 "
				    "to %d MB, or 0 for the default of %d", raw->unwind_memory,
				    OP_UNWIND_MEMORY_MAX / 1024, OP_UNWIND_MEMORY / 1024);
	o->callgraph_depth = raw->callgraph_depth;
	o->call_arcs = raw->call_arcs;
	o->frame_pointers_only = !strcmp(unwind, "fp");
	o->unwind_memory = raw->unwind_memory ? (size_t)raw->unwind_memory << 20 :
						(size_t)OP_UNWIND_MEMORY << 10;
	return 0;
}

static int set_history(const struct raw *raw, struct options *o, struct op_error *e)
{
	const char *needs = raw->quota ? "--quota" : raw->slice ? "--slice" : NULL;

	o->keep_history = raw->history;
	if (!raw->history)
		return needs ? op_error_set(e, -EINVAL, "%s requires --history=TIME", needs) : 0;
	return history_config_parse(raw->history, raw->quota, raw->slice, &o->history, e);
}

static int set_options(const struct raw *raw, struct options *o, struct op_error *e)
{
	int err;

	o->session_dir = path_absolute(raw->session_dir ? raw->session_dir : SESSION_DIR_DEFAULT);
	if (!o->session_dir)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --session-dir: %s",
				    raw->session_dir, strerror(errno));
	o->collector = xstrdup(raw->collector ? raw->collector : "module");
	if (strcmp(o->collector, "module") && strcmp(o->collector, "perf") &&
	    strcmp(o->collector, "bpf") && strcmp(o->collector, "auto"))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --collector: expected "
				    "module, perf, bpf or auto", o->collector);
	if (!raw->events && !raw->ext_feature)
		return op_error_set(e, -EINVAL, "no event given; use "
				    "--events=NAME:value:counter:count:um:kernel:user");
	err = set_cpu_type(raw, o, e);
	if (!err && raw->events)
		err = event_options_parse(raw->events, o->events, EVENTS_MAX, &o->nr_events, e);
	if (!err)
		err = set_kernel(raw, o, e);
	if (!err)
		err = set_separation(raw, o, e);
	if (!err && raw->verbose)
		err = log_topics_parse(raw->verbose, &o->log_topics, e);
	if (!err && raw->ext_feature)
		err = ext_parse(raw->ext_feature, &o->ext, e);
	if (!err)
		err = set_stacks(raw, o, e);
	if (!err)
		err = set_history(raw, o, e);
	if (!err && raw->images && strcmp(raw->images, "all"))
		set_images(raw->images, o);
	o->foreground = raw->foreground;
	o->begin = raw->begin;
	o->idle = raw->idle;
	o->world_readable = raw->world_readable;
	return err;
}

static void raw_free(struct raw *raw)
{
	free(raw->session_dir);
	free(raw->collector);
	free(raw->cpu_type);
	free(raw->events);
	free(raw->vmlinux);
	free(raw->kernel_range);
	free(raw->images);
	free(raw->verbose);
	free(raw->ext_feature);
	free(raw->unwind);
	free(raw->history);
	free(raw->quota);
	free(raw->slice);
}

static void print_help(const struct poptOption *table)
{
	printf("Usage: oprofiled --events=... [OPTION...]\n\n");
	option_help_print(table, stdout);
	printf("\nopcontrol(1) starts it with the right options. See oprofiled(8) for details.\n");
}

int options_parse(int argc, const char **argv, struct options *ret, struct op_error *e)
{
	struct raw raw = { .foreground = 0 };
	struct poptOption table[] = {
		{"session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
		 "where samples are written (" SESSION_DIR_DEFAULT ")", "DIR"},
		{"collector", 0, POPT_ARG_STRING, &raw.collector, 0, "where samples come from",
		 "module|perf|bpf|auto"},
		{"cpu-type", 0, POPT_ARG_STRING, &raw.cpu_type, 0,
		 "type of the CPUs whose events are counted (timer: sample by time)", "NAME"},
		{"events", 'e', POPT_ARG_STRING, &raw.events, 0, "what to sample",
		 "NAME:value:counter:count:um:kernel:user[:extra[:pmu]][,...]"},
		{"vmlinux", 'k', POPT_ARG_STRING, &raw.vmlinux, 0, "the kernel's image", "FILE"},
		{"kernel-range", 'r', POPT_ARG_STRING, &raw.kernel_range, 0,
		 "addresses of its text (hex)", "START,END"},
		{"no-vmlinux", 0, POPT_ARG_NONE, &raw.no_vmlinux, 0,
		 "record kernel samples without symbols", NULL},
		{"image", 0, POPT_ARG_STRING, &raw.images, 0, "record samples of these images only",
		 "PATH[,PATH...]"},
		{"separate-lib", 0, POPT_ARG_INT, &raw.lib, 0, "libraries per application", "0|1"},
		{"separate-kernel", 0, POPT_ARG_INT, &raw.kernel, 0, "kernel per application",
		 "0|1"},
		{"separate-thread", 0, POPT_ARG_INT, &raw.thread, 0, "files per thread", "0|1"},
		{"separate-cpu", 0, POPT_ARG_INT, &raw.cpu, 0, "files per CPU", "0|1"},
		{"separate-cgroup", 0, POPT_ARG_INT, &raw.cgroup, 0, "files per control group",
		 "0|1"},
		{"callgraph-depth", 0, POPT_ARG_INT, &raw.callgraph_depth, 0,
		 "callers per sample", "N"},
		{"call-arcs", 0, POPT_ARG_NONE, &raw.call_arcs, 0,
		 "write {cg} files for OProfile 1.x, too", NULL},
		{"unwind", 0, POPT_ARG_STRING, &raw.unwind, 0,
		 "how user stacks are unwound (fp: frame pointers only)", "tables|fp"},
		{"unwind-memory", 0, POPT_ARG_INT, &raw.unwind_memory, 0,
		 "limit for unwind tables, 0 = default", "MB"},
		{"idle", 0, POPT_ARG_NONE, &raw.idle, 0,
		 "with perf: sample idle CPUs, too", NULL},
		{"history", 0, POPT_ARG_STRING, &raw.history, 0,
		 "keep a history of so long besides the session", "TIME"},
		{"quota", 0, POPT_ARG_STRING, &raw.quota, 0,
		 "room on the disk for the history (" HISTORY_QUOTA ")", "SIZE"},
		{"slice", 0, POPT_ARG_STRING, &raw.slice, 0,
		 "time between two slices of the history (" HISTORY_SLICE ")", "TIME"},
		{"world-readable", 0, POPT_ARG_NONE, &raw.world_readable, 0,
		 "let all users read the samples", NULL},
		{"ext-feature", 'x', POPT_ARG_STRING, &raw.ext_feature, 0,
		 "sample with an extended feature", "NAME:ARGS"},
		{"verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0, "what to log in detail",
		 "all,sfile,arcs,samples,module,misc,ext"},
		{"begin", 0, POPT_ARG_NONE, &raw.begin, 0,
		 "begin sampling at once, without a request", NULL},
		{"foreground", 0, POPT_ARG_NONE, &raw.foreground, 0,
		 "stay in the foreground and log to stderr", NULL},
		{"version", 'v', POPT_ARG_NONE, &raw.version, 0, "show the version", NULL},
		{"help", '?', POPT_ARG_NONE, &raw.help, 0, "show this help", NULL},
		POPT_TABLEEND
	};
	poptContext context = poptGetContext("oprofiled", argc, argv, table, 0);
	int rc = poptGetNextOpt(context), err;

	memset(ret, 0, sizeof(*ret));
	if (rc < -1)
		err = op_error_set(e, -EINVAL, "%s: %s; oprofiled --help lists the options",
				   poptBadOption(context, POPT_BADOPTION_NOALIAS),
				   poptStrerror(rc));
	else if (poptPeekArg(context))
		err = op_error_set(e, -EINVAL, "unexpected argument '%s'; oprofiled --help lists "
				   "the options", poptPeekArg(context));
	else if (raw.version || raw.help)
		err = 0;
	else
		err = set_options(&raw, ret, e);
	poptFreeContext(context);
	raw_free(&raw);
	if (!err && raw.help)
		print_help(table);
	if (!err && raw.version)
		version_print("oprofiled");
	if (!err && (raw.help || raw.version))
		exit(0);
	return err;
}

char *options_images_text(const struct options *o)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; o->wanted && o->wanted[i]; i++)
		strbuf_addf(&text, "%s%s", i ? "," : "", o->wanted[i]);
	return strbuf_steal(&text);
}

void options_free(struct options *o)
{
	for (size_t i = 0; o->wanted && o->wanted[i]; i++)
		free(o->wanted[i]);
	free(o->wanted);
	free(o->session_dir);
	free(o->collector);
	free(o->cpu_type);
	ext_free(o->ext);
	free((char *)o->kernel.vmlinux);
	memset(o, 0, sizeof(*o));
}
