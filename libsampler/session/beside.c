// SPDX-License-Identifier: GPL-2.0-or-later
/* beside.c - the files beside the samples: who, when, how, and what was lost */
#include "libsampler/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/processes.h"
#include "libdb/session/thread_sample.h"
#include "libutil/file.h"

/* The command line, as far as there is room. */
static void set_command(struct session_info *info)
{
	char *text;
	size_t n;

	if (file_read_all("/proc/self/cmdline", 1 << 20, &text, &n))
		return;
	for (size_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	snprintf(info->profiled, sizeof(info->profiled), "%s", text);
	free(text);
}

/* What this process is called, unless it is in the list: a session is written several times. */
static void add_process(const struct session_update *u)
{
	char comm[64] = "", argv0[256] = "";
	const struct session_process own = {
		.tgid = u->pid, .tid = u->pid, .comm = comm, .started_as = argv0,
		.app = u->app.path,
	};
	struct session_processes all = { 0 };
	const struct session_process *p;
	bool listed = false;
	size_t nr;

	(void)file_read_line("/proc/self/comm", comm, sizeof(comm));
	(void)file_read_line("/proc/self/cmdline", argv0, sizeof(argv0));
	session_started_as(argv0);
	(void)session_processes_read(u->to.stats, &all, NULL);
	p = session_processes_find(&all, u->pid, &nr);
	for (size_t i = 0; i < nr; i++)
		listed |= !strcmp(p[i].app, own.app) && !strcmp(p[i].started_as, argv0);
	if (!listed && all.nr < SESSION_PROCESSES_MAX)
		(void)session_processes_append(u->to.stats, &own);
	session_processes_free(&all);
}

static void add_event(const struct session_update *u, struct session_info *info)
{
	size_t n = strlen(info->events);
	char event[80];

	snprintf(event, sizeof(event), THREAD_SAMPLE ":%" PRIu64 ":%" PRIu64, u->count,
		 u->unit_mask);
	if (!strstr(info->events, event) && n + strlen(event) + 2 < sizeof(info->events))
		snprintf(info->events + n, sizeof(info->events) - n, "%s%s", n ? " " : "", event);
}

/* The process that began first sets the command; a session of the daemon keeps its own. */
static void make_info(const struct session_update *u, struct session_info *info)
{
	uint64_t start = (uint64_t)u->p->start_ns / 1000000000;
	uint64_t end = start + ((uint64_t)u->p->duration_ns + 500000000) / 1000000000;

	if (session_info_read(u->to.stats, info)) {
		*info = (struct session_info){
			.collector = THREAD_SAMPLE_COLLECTOR,
			.model = "timer",
			.cpu_type = "timer",
			.separate = "lib thread",
			.period_ns = u->summary->period_ns,
			.start_time = UINT64_MAX,
		};
		session_info_set_machine(info);
	}
	if (!strcmp(info->collector, THREAD_SAMPLE_COLLECTOR) && start < info->start_time)
		set_command(info);
	if (start < info->start_time)
		info->start_time = start;
	if (end > info->end_time)
		info->end_time = end;
	add_event(u, info);
}

void session_write_beside(struct session_update *u, const char *dir)
{
	struct session_counts counts = { 0 };
	struct session_info info;
	int err;

	if (session_counts_read(u->to.stats, &counts))
		counts = (struct session_counts){ 0 };
	session_counts_reserve(&counts, 1);
	cpu_counts_add(&counts.cpu[0], &u->counts);
	make_info(u, &info);
	add_process(u);
	err = session_write_stats(u->to.stats, dir, &counts, &info);
	if (err)
		session_failed(u, err, u->to.stats);
	session_counts_free(&counts);
	session_write_vdso(u->to.stats);
}
