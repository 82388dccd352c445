// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_session.c - the life of a session: entered, left behind under another name, thrown away
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>
#include "daemon/record/recorder_private.h"
#include "libdb/session/settle.h"
#include "libdb/session/writer.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define REMOVED	".removed."

/* The session's own files */

void recorder_told(struct recorder *r, int err)
{
	if (err && err != r->told_err) {
		op_error_set(&r->trouble, err, "cannot write below '%s': %s", r->stats_dir,
			     strerror(-err));
		log_line("%s", r->trouble.text);
	}
	if (!err && r->told_err)
		log_line("'%s' can be written again", r->stats_dir);
	r->told_err = err;
}

static int try_write_info(struct recorder *r)
{
	int err = file_make_dirs(r->stats_dir, 0755);

	snprintf(r->info.kernel_symbols, sizeof(r->info.kernel_symbols), "%s",
		 kernel_symbols_word(r->kernel));
	if (!err)
		err = session_info_write(r->stats_dir, &r->info);
	r->info_due = err;
	return err;
}

/* Room for the session's books, so that a full disk's losses can be told. [SS-5] */
static int try_keep_room(struct recorder *r)
{
	int err = session_reserve(r->stats_dir, get_nprocs_conf());

	r->room_due = err;
	return err;
}

void recorder_keep_room(struct recorder *r)
{
	(void)try_keep_room(r);
}

void recorder_write_info(struct recorder *r)
{
	recorder_told(r, try_write_info(r));
}

void recorder_end_session(struct recorder *r)
{
	r->info.end_time = time(NULL);
	recorder_write_info(r);
	session_give_up_reserve(r->stats_dir);
}

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

void recorder_describe(struct recorder *r)
{
	const struct recorder_config *config = &r->config;
	struct session_info *info = &r->info;
	struct collector_status status = { .period_ns = 0 };

	memset(info, 0, sizeof(*info));
	config->collector->status(config->collector, &status);
	snprintf(r->collector_note, sizeof(r->collector_note), "%s", status.note);
	snprintf(info->collector, sizeof(info->collector), "%s", config->collector->name);
	snprintf(info->model, sizeof(info->model), "%s", status.model);
	snprintf(info->cpu_type, sizeof(info->cpu_type), "%s", config->cpu_type);
	info->clock_khz = config->clock_khz;
	info->period_ns = status.period_ns;
	snprintf(info->events, sizeof(info->events), "%s", config->asked_events);
	if (config->kernel.vmlinux)
		snprintf(info->vmlinux, sizeof(info->vmlinux), "%s", config->kernel.vmlinux);
	if (config->profiled)
		snprintf(info->profiled, sizeof(info->profiled), "%s", config->profiled);
	describe_separation(&config->separate, info->separate, sizeof(info->separate));
	session_info_set_machine(info);
}

/* What an earlier daemon could not count any more, since it was killed. [SS-24] */
static void settle(const struct recorder *r)
{
	struct settlement s = { 0 };
	struct op_error e = { "" };

	if (session_settle(r->samples_dir, &s, &e))
		log_line("the session's counts may not agree with its sample files: %s", e.text);
	if (s.counts.text[0])
		log_line("the session's counts are made anew from its sample files: %s",
			 s.counts.text);
	if (s.found)
		log_line("%" PRIu64 " samples that were in sample files only, since the last "
			 "daemon was killed, are counted now",
			 s.found);
	if (s.missing)
		log_line("%" PRIu64 " samples that had been recorded are in no sample file that "
			 "can be read: they are counted as lost",
			 s.missing);
}

static void take_over_start(struct recorder *r)
{
	struct session_info earlier;

	r->info.start_time = time(NULL);
	r->info.end_time = 0;
	if (session_info_read(r->stats_dir, &earlier))
		return;
	if (earlier.start_time)
		r->info.start_time = earlier.start_time;
}

/* Sessions that were being thrown away, by us or by opcontrol, when a kill came. */
void recorder_remove_leftovers(const struct recorder *r)
{
	char *samples = session_samples_path(r->config.session_dir, "");
	DIR *dir = opendir(samples);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;

		if (strncmp(entry->d_name, REMOVED, strlen(REMOVED)) &&
		    strncmp(entry->d_name, ".tmp_reset.", 11))
			continue;
		path = path_join(samples, entry->d_name);
		(void)file_remove_tree(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(samples);
}

int recorder_enter_session(struct recorder *r, struct op_error *e)
{
	int err;

	settle(r);
	err = recorder_keep_apart(r, e);
	if (err)
		return err;
	(void)file_make_dirs(r->stats_dir, 0755);	/* a failure is told below */
	take_over_start(r);
	session_counts_free(&r->before);
	if (session_counts_read(r->stats_dir, &r->before))
		memset(&r->before, 0, sizeof(r->before));
	recorder_times_enter(r);
	images_set_session(r->images, r->stats_dir);
	binaries_set_session(r->binaries, r->stats_dir);
	sfiles_set_session(r->sfiles, r->samples_dir);
	stacks_set_session(r->stacks, r->stats_dir);
	kernel_set_session(r->kernel, r->stats_dir);
	jit_processes_set_session(r->jit, r->samples_dir);
	session_write_vdso(r->stats_dir);

	/* the first real writes: a full or read-only disk is told here, before anything runs */
	err = try_write_info(r);
	r->room_due = true;
	recorder_write_counts(r);
	if (!err)
		err = r->counts_err ? r->counts_err : try_keep_room(r);
	if (err)
		return op_error_set(e, err, "cannot write '%s/session': %s", r->stats_dir,
				    strerror(-err));
	return 0;
}

/* Sessions */

/* What was accounted for so far belongs to the session left; what is under way to the next. */
static void move_origin(struct recorder *r)
{
	recorder_times_leave(r);
	session_counts_free(&r->origin);
	stats_collect(&r->stats, r->config.collector, &r->origin);
	for (unsigned int i = 0; i < r->origin.nr_cpus; i++) {
		uint64_t accounted = cpu_counts_accounted(&r->origin.cpu[i]);

		if (accounted < r->origin.cpu[i].received)
			r->origin.cpu[i].received = accounted;
	}
}

/*
 * Everything taken until now into the old session, which then is renamed to @to; a new and
 * empty one takes its place. If the rename fails the old one goes on.
 */
static int leave_session(struct recorder *r, const char *to, bool replace, struct op_error *e)
{
	struct op_error why = { "" };
	int err = recorder_drain(r, true, NULL, e);

	if (err)
		return err;
	recorder_blame_garbage(r);
	kernel_capture_now(r->kernel);
	if (!replace)
		recorder_name_code(r);
	r->rest_second = 0;		/* the last ones of this session */
	recorder_write_counts(r);
	if (r->told_err && !replace)
		return op_error_set(e, r->told_err, "the session's counts cannot be written (%s), "
				    "so it stays as it is", strerror(-r->told_err));
	recorder_end_session(r);
	sfiles_close_all(r->sfiles);
	stacks_close(r->stacks);
	if (renameat2(AT_FDCWD, r->samples_dir, AT_FDCWD, to, replace ? 0 : RENAME_NOREPLACE) < 0) {
		err = op_error_set(e, -errno, "cannot rename '%s' to '%s': %s", r->samples_dir, to,
				   strerror(errno));
		r->info.end_time = 0;
		recorder_write_info(r);
		recorder_keep_room(r);
		return err;
	}
	move_origin(r);
	if (recorder_enter_session(r, &why))
		log_line("the new session cannot be written yet: %s", why.text);
	return 0;
}

int recorder_reset(struct recorder *r, struct op_error *e)
{
	char name[32], *aside;
	int err, err2;

	snprintf(name, sizeof(name), REMOVED "%d", getpid());	/* no session's name */
	aside = session_samples_path(r->config.session_dir, name);
	err = file_remove_tree(aside);
	if (!err)
		err = leave_session(r, aside, true, e);
	else
		op_error_set(e, err, "cannot remove '%s': %s", aside, strerror(-err));
	err2 = file_remove_tree(aside);
	if (!err)
		recorder_write_counts(r);	/* there may be room now */
	if (!err && err2)
		err = op_error_set(e, err2, "cannot remove '%s': %s", aside, strerror(-err2));
	free(aside);
	if (!err) {
		recorder_forget_unwritten(r);
		log_line("the session's samples were removed");
	}
	return err;
}

int recorder_save(struct recorder *r, const char *name, struct op_error *e)
{
	char *to;
	int err;

	if (!session_name_ok(name) || !strcmp(name, SESSION_CURRENT))
		return op_error_set(
			e, -EINVAL,
			"'%.200s' is no name for a session: letters, digits and . _ - + "
			"only, not starting with a dot, and not '" SESSION_CURRENT "'",
			name);
	to = session_samples_path(r->config.session_dir, name);
	if (file_exists(to))
		err = op_error_set(e, -EEXIST,
				   "session '%s' exists; remove it or choose another name", name);
	else
		err = leave_session(r, to, false, e);
	free(to);
	if (!err)
		log_line("session saved as '%s'", name);
	return err;
}

