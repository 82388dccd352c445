// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon_start.c - start oprofiled: session directory, settings of the module, command line */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "control/machine/vmlinux.h"
#include "control/opcontrol/child.h"
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/daemon_start.h"
#include "control/opcontrol/service.h"
#include "libdb/history/folder.h"
#include "libdb/session/lock.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define DAEMON		"oprofiled"
#define START_MS	(60 * 1000)	/* it reads all of /proc before it is ready */

static void add_word(struct words *w, char *owned)
{
	xgrow(w->words, w->nr, w->room);
	w->words[w->nr++] = owned;
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->nr; i++)
		free(w->words[i]);
	free(w->words);
	free(w->kernel_range);
	*w = (struct words){ 0 };
}

static void add_event_words(const struct event_plan *plan, struct words *w)
{
	char *events = event_plan_format(plan);

	if (plan->cpu_type)
		add_word(w, xasprintf("--cpu-type=%s", plan->cpu_type));
	if (events)
		add_word(w, xasprintf("--events=%s", events));
	free(events);
	if (plan->ibs)
		add_word(w, xasprintf("--ext-feature=%s", plan->ibs));
}

static int add_kernel_words(const struct setup *s, struct words *w, struct op_error *e)
{
	uint64_t start = s->kernel_start, end = s->kernel_end;
	int err = 0;

	if (!strcmp(s->vmlinux, VMLINUX_NONE)) {
		add_word(w, xstrdup("--no-vmlinux"));
	} else if (*s->vmlinux) {
		err = end ? vmlinux_check(s->vmlinux, true, e) :
			    vmlinux_range(s->vmlinux, "/proc/kallsyms", &start, &end, e);
		if (err)
			return err;
		add_word(w, xasprintf("--vmlinux=%s", s->vmlinux));
		w->kernel_range = xasprintf("%" PRIx64 ",%" PRIx64, start, end);
	}
	return 0;
}

int daemon_command(const struct setup *s, const struct collector_choice *choice,
		   const struct event_plan *plan, const char *verbose, const char *program,
		   struct words *ret, struct op_error *e)
{
	struct words w = { 0 };
	int err;

	add_word(&w, xstrdup(program));
	add_word(&w, xasprintf("--session-dir=%s", s->session_dir));
	add_word(&w, xasprintf("--separate-lib=%d", s->separate_lib));
	add_word(&w, xasprintf("--separate-kernel=%d", s->separate_kernel));
	add_word(&w, xasprintf("--separate-thread=%d", s->separate_thread));
	add_word(&w, xasprintf("--separate-cpu=%d", s->separate_cpu));
	if (s->separate_cgroup)
		add_word(&w, xstrdup("--separate-cgroup=1"));
	add_event_words(plan, &w);
	err = add_kernel_words(s, &w, e);
	if (err) {
		words_free(&w);
		return err;
	}
	if (*s->image_filter)
		add_word(&w, xasprintf("--image=%s", s->image_filter));
	add_word(&w, xasprintf("--collector=%s", choice->module ? "module" :
							collector_request_name(s->collector)));
	if (s->callgraph_depth)
		add_word(&w, xasprintf("--callgraph-depth=%" PRIu64, s->callgraph_depth));
	if (s->callgraph_depth && s->call_arcs)
		add_word(&w, xstrdup("--call-arcs"));
	if (s->callgraph_depth && s->frame_pointers_only)
		add_word(&w, xstrdup("--unwind=fp"));
	if (s->callgraph_depth && s->unwind_memory)
		add_word(&w, xasprintf("--unwind-memory=%" PRIu64, s->unwind_memory));
	if (*s->history)
		add_word(&w, xasprintf("--history=%s", s->history));
	if (*s->history && *s->history_quota)
		add_word(&w, xasprintf("--quota=%s", s->history_quota));
	if (*s->history && *s->history_slice)
		add_word(&w, xasprintf("--slice=%s", s->history_slice));
	if (s->idle)
		add_word(&w, xstrdup("--idle"));
	if (s->world_readable)
		add_word(&w, xstrdup("--world-readable"));
	if (verbose)
		add_word(&w, xasprintf("--verbose=%s", verbose));
	xgrow(w.words, w.nr, w.room);
	w.words[w.nr] = NULL;
	*ret = w;
	return 0;
}

/* The one beside this program; else the installed one; else the one in $PATH. */
static char *daemon_program(void)
{
	char *dir = path_program_dir();
	char *path = dir ? path_join(dir, DAEMON) : NULL;

	free(dir);
	if (path && file_exists(path))
		return path;
	free(path);
	return xstrdup(file_exists(OP_SBINDIR "/" DAEMON) ? OP_SBINDIR "/" DAEMON : DAEMON);
}

static int run_daemon(const struct words *command, const char *session_dir, struct op_error *e)
{
	int status, err;

	if (command->kernel_range)
		setenv(KERNEL_RANGE_VARIABLE, command->kernel_range, true);
	err = child_run((const char *const *)command->words, false, START_MS, &status);

	if (err == -ENOENT)
		return op_error_set(e, err, DAEMON " not found beside opcontrol, in '" OP_SBINDIR
				    "' or in $PATH");
	if (err == -ETIMEDOUT)
		return op_error_set(e, err, DAEMON " was not ready after %d s; see "
				    "'%s/samples/oprofiled.log'", START_MS / 1000, session_dir);
	if (err)
		return op_error_set(e, err, "cannot run '%s': %s", command->words[0],
				    strerror(-err));
	if (WIFSIGNALED(status))
		return op_error_set(e, -ECHILD, DAEMON " was killed by signal %d (%s) at its start",
				    WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status) ? -ECHILD : 0;	/* it has printed the reason */
}

static int make_session_dir(const char *session_dir, struct op_error *e)
{
	char *current = session_samples_path(session_dir, SESSION_CURRENT);
	bool is_new = access(session_dir, F_OK) && errno == ENOENT;
	int err = file_make_dirs(current, 0755);

	if (!err && is_new)	/* the name may have been mistyped */
		printf("Created session directory '%s'.\n", session_dir);
	if (err)
		op_error_set(e, err, "cannot create session directory '%s': %s; choose another "
			     "with --session-dir=", session_dir, strerror(-err));
	free(current);
	return err;
}

/*
 * If the module refuses the depth, sample without stacks. The set-up keeps the depth for a module
 * that accepts it.
 */
static int write_depth(const struct driver *d, uint64_t *depth, struct op_error *e)
{
	int err = driver_write(d, "backtrace_depth", *depth, e);

	if (err != -EINVAL || !*depth)
		return err;
	printf("The module does not support call stacks of %" PRIu64 " frames; sampling without "
	       "stacks.\n", *depth);
	*depth = 0;
	return driver_write(d, "backtrace_depth", 0, e);
}

/* A module without what @file sets does not have it, and needs nothing written. */
static int write_if_there(const struct driver *d, const char *file, uint64_t value,
			  struct op_error *e)
{
	int err = driver_write(d, file, value, e);

	return err == -ENOENT ? 0 : err;
}

/* 0: by frame pointers only. */
static int write_unwind_memory(const struct driver *d, const struct setup *used,
			       struct op_error *e)
{
	uint64_t mb = used->unwind_memory ? used->unwind_memory : OP_UNWIND_MEMORY / 1024;

	return write_if_there(d, "unwind/memory", used->frame_pointers_only ? 0 : mb * 1024, e);
}

int daemon_write_settings(struct setup *used, const struct driver *d, struct op_error *e)
{
	int err = 0;

	for (enum buffer_id i = 0; !err && i < NR_BUFFERS; i++)
		err = driver_write(d, buffer_kinds[i].file,
				   buffer_size_used(used->buffer_sizes, i, used->callgraph_depth),
				   e);
	if (!err)
		err = write_depth(d, &used->callgraph_depth, e);
	if (!err && used->callgraph_depth)
		err = write_unwind_memory(d, used, e);
	if (!err)
		err = write_if_there(d, "idle", used->idle, e);
	return err;
}

static void print_command(const struct setup *s, const struct words *command)
{
	printf("Parameters used:\n");
	printf("SESSION_DIR %s\n", s->session_dir);
	printf("VMLINUX %s\n", s->vmlinux);
	printf("IMAGE_FILTER %s\n", s->image_filter);
	printf("BUF_SIZE %" PRIu64 "\nBUF_WATERSHED %" PRIu64 "\nCPU_BUF_SIZE %" PRIu64 "\n",
	       s->buffer_sizes[BUFFER_EVENTS], s->buffer_sizes[BUFFER_WATERSHED],
	       s->buffer_sizes[BUFFER_CPU]);
	printf("SEPARATE_LIB %d\nSEPARATE_KERNEL %d\nSEPARATE_THREAD %d\nSEPARATE_CPU %d\n",
	       s->separate_lib, s->separate_kernel, s->separate_thread, s->separate_cpu);
	printf("CALLGRAPH %" PRIu64 "\n", s->callgraph_depth);
	printf("UNWIND %s\n", s->frame_pointers_only ? "fp" : "tables");
	printf("executing");
	for (size_t i = 0; i < command->nr; i++)
		printf(" %s", command->words[i]);
	printf("\n");
}

/* The daemon of a service may not set all of them, nor of a folder that it makes. */
static int set_rights(const struct setup *s, struct op_error *e)
{
	char *history = path_join(s->session_dir, HISTORY_DIR);
	int err = *s->history ? file_make_dirs(history, 0755) : 0;

	free(history);
	if (!err)
		err = session_set_rights(s->session_dir, s->world_readable);
	return err ? op_error_set(e, err, "cannot set who may read '%s/samples': %s",
				  s->session_dir, strerror(-err)) : 0;
}

static int run_chosen(const struct setup *used, const struct collector_choice *choice,
		      const struct event_plan *plan, const char *verbose, bool prepare_service,
		      struct op_error *e)
{
	char *program = daemon_program();
	struct words command;
	bool is_service = prepare_service || service_exists("", program, used->session_dir);
	int err = daemon_command(used, choice, plan, verbose, program, &command, e);

	free(program);
	if (err)
		return err;
	if (verbose)
		print_command(used, &command);
	fflush(stdout);		/* before the daemon prints */
	if (is_service)
		err = set_rights(used, e);
	if (!err && prepare_service)
		err = service_write(&command, true, e);
	else if (!err && is_service)
		err = service_start(&command, e);
	else if (!err)
		err = run_daemon(&command, used->session_dir, e);
	words_free(&command);
	return err;
}

int daemon_start(const struct setup *s, const struct driver *d,
		 const struct collector_choice *choice, const struct event_plan *plan,
		 const char *verbose, bool prepare_service, struct op_error *e)
{
	struct setup used = *s;		/* borrows its strings */
	int err = make_session_dir(s->session_dir, e);

	if (err)
		return err;
	if (session_lock_remove_stale(s->session_dir))
		printf("Detected stale lock file. Removing.\n");
	if (choice->no_module.text[0])
		printf("Using perf_event_open(2) instead of the module: %s\n",
		       choice->no_module.text);
	if (choice->module)
		err = daemon_write_settings(&used, d, e);
	return err ? err : run_chosen(&used, choice, plan, verbose, prepare_service, e);
}
