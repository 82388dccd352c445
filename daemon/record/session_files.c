// SPDX-License-Identifier: GPL-2.0-or-later
/* session_files.c - see session_files.h */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include "daemon/record/session_files.h"
#include "libdb/session/kernel_text.h"
#include "libdb/session/settle.h"
#include "libdb/session/writer.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/thread.h"

static void describe_separation(const struct separation *s, char *text, size_t size)
{
	int n = snprintf(text, size, "%s%s%s%s%s", s->lib ? " lib" : "",
			 s->kernel ? " kernel" : "", s->thread ? " thread" : "",
			 s->cpu ? " cpu" : "", s->cgroup ? " cgroup" : "");

	if (n)
		memmove(text, text + 1, n);
	else
		snprintf(text, size, "none");
}

/* The fields that stay the same for the daemon's life. */
static void describe(const struct recorder_config *config, const struct collector_status *status,
		     struct session_info *info)
{
	snprintf(info->collector, sizeof(info->collector), "%s", config->collector->name);
	snprintf(info->model, sizeof(info->model), "%s", status->model);
	snprintf(info->cpu_type, sizeof(info->cpu_type), "%s", config->cpu_type);
	info->clock_khz = config->clock_khz;
	info->period_ns = status->period_ns;
	snprintf(info->events, sizeof(info->events), "%s", config->events_text);
	if (config->kernel.vmlinux)
		snprintf(info->vmlinux, sizeof(info->vmlinux), "%s", config->kernel.vmlinux);
	if (config->profiled)
		snprintf(info->profiled, sizeof(info->profiled), "%s", config->profiled);
	describe_separation(&config->separate, info->separate, sizeof(info->separate));
	snprintf(info->call_arcs, sizeof(info->call_arcs), "%s",
		 recorder_writes_arcs(config) ? "" : SESSION_ARCS_OF_STACKS);
	session_info_set_machine(info);
}

void session_files_init(struct session_files *f, const struct recorder_config *config,
			const struct collector_status *status, const struct kernel *kernel)
{
	memset(f, 0, sizeof(*f));
	f->session_dir = config->session_dir;
	f->samples_dir = session_samples_path(config->session_dir, SESSION_CURRENT);
	f->stats_dir = session_stats_path(config->session_dir, SESSION_CURRENT, NULL);
	f->kernel = kernel;
	describe(config, status, &f->info);
}

void session_files_report(struct session_files *f, int err)
{
	if (err && err != f->logged_err) {
		op_error_set(&f->trouble, err, "cannot write to '%s': %s", f->stats_dir,
			     strerror(-err));
		log_line("%s", f->trouble.text);
	}
	if (!err && f->logged_err)
		log_line("'%s' can be written again", f->stats_dir);
	f->logged_err = err;
}

int session_files_try_write_info(struct session_files *f)
{
	int err = file_make_dirs(f->stats_dir, 0755);

	snprintf(f->info.kernel_symbols, sizeof(f->info.kernel_symbols), "%s",
		 kernel_symbols_word(f->kernel));
	if (!err)
		err = session_info_write(f->stats_dir, &f->info);
	f->info_due = err;
	return err;
}

void session_files_write_info(struct session_files *f)
{
	session_files_report(f, session_files_try_write_info(f));
}

int session_files_reserve(struct session_files *f)
{
	int err = session_reserve(f->stats_dir, get_nprocs_conf());

	f->room_due = err;
	return err;
}

void session_files_end(struct session_files *f)
{
	f->info.end_time = time(NULL);
	session_files_write_info(f);
	session_give_up_reserve(f->stats_dir);
}

void session_files_reopen(struct session_files *f)
{
	f->info.end_time = 0;
	session_files_write_info(f);
	(void)session_files_reserve(f);
}

void session_files_settle(const struct session_files *f)
{
	struct settlement s = { 0 };
	struct op_error e = { "" };

	if (session_settle(f->samples_dir, &s, &e))
		log_line("the session's counts may not match its sample files: %s", e.text);
	if (s.counts.text[0])
		log_line("%s; rebuilt the session's counts from its sample files", s.counts.text);
	if (s.found)
		log_line("added %" PRIu64 " samples to the session's counts, which a killed daemon "
			 "had recorded but not counted", s.found);
	if (s.missing)
		log_line("counted %" PRIu64 " recorded samples as lost, which are in no readable "
			 "sample file", s.missing);
}

void session_files_begin(struct session_files *f)
{
	struct session_info earlier;

	(void)file_make_dirs(f->stats_dir, 0755);	/* the next write reports a failure */
	f->info.start_time = time(NULL);
	f->info.end_time = 0;
	if (session_info_read(f->stats_dir, &earlier))
		return;
	if (earlier.start_time)
		f->info.start_time = earlier.start_time;
}

static void remove_discarded(const struct session_files *f)
{
	char *samples = session_samples_path(f->session_dir, "");
	DIR *dir = opendir(samples);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		char *path;
		int err;

		if (strncmp(name, SESSION_REMOVED_PREFIX, strlen(SESSION_REMOVED_PREFIX)) &&
		    strncmp(name, ".tmp_reset.", 11))
			continue;
		path = path_join(samples, entry->d_name);
		err = file_remove_tree(path);
		if (err)
			log_line("cannot remove '%s': %s", path, strerror(-err));
		free(path);
	}
	if (dir)
		closedir(dir);
	free(samples);
	kernel_texts_remove_unused(f->session_dir);
}

static void *remover_main(void *session_files)
{
	struct session_files *f = session_files;

	do {
		atomic_store(&f->remove_again, false);
		remove_discarded(f);
	} while (atomic_load(&f->remove_again));
	return NULL;
}

void session_files_remove_discarded(struct session_files *f)
{
	atomic_store(&f->remove_again, true);
	if (f->is_removing && pthread_tryjoin_np(f->remover, NULL))
		return;		/* it looks again, or session_files_free() does */
	f->is_removing = !thread_start(&f->remover, remover_main, f);
	if (!f->is_removing)
		remove_discarded(f);
}

static void finish_removing(struct session_files *f)
{
	if (!f->is_removing)
		return;
	pthread_join(f->remover, NULL);
	f->is_removing = false;
	if (atomic_load(&f->remove_again))
		remove_discarded(f);
}

void session_files_free(struct session_files *f)
{
	finish_removing(f);
	free(f->samples_dir);
	free(f->stats_dir);
}
