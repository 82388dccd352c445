// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_apart.c - what is not comparable stays apart: such a session is kept under a name
 *
 * Samples of another event, count or unit mask lie in files of their own, so they can stay in
 * one session. But kernel addresses of another boot would be added to ours, a timer's files have
 * no count in their names, so another period's samples would be added up with ours, and a report
 * tells one CPU type and one model. [CC-34]
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "daemon/record/recorder_private.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define SAME_SECOND_MAX	99

static bool has_parts(const char *samples_dir)
{
	char *index = path_join(samples_dir, "stats/parts/index");
	bool yes = file_exists(index);

	free(index);
	return yes;
}

static bool has_samples(const char *samples_dir)
{
	DIR *dir = opendir(samples_dir);
	struct dirent *entry;
	bool yes = false;

	while (dir && !yes && (entry = readdir(dir)))
		yes = entry->d_name[0] == '{';
	if (dir)
		closedir(dir);
	return yes || has_parts(samples_dir);
}

static bool names_tell_counts(const struct recorder_config *config)
{
	for (unsigned int i = 0; i < config->nr_events; i++)
		if (config->events[i].name[0] && !config->events[i].count)
			return false;
	return true;
}

/* How the samples there are described to the user, malloc'd; NULL: ours can be added to them. */
static char *what_differs(const struct recorder *r)
{
	const struct session_info *ours = &r->info;
	struct session_info theirs;

	if (session_info_read(r->stats_dir, &theirs))
		return NULL;
	if (strcmp(theirs.cpu_type, ours->cpu_type))
		return xasprintf("of CPU type '%s'", theirs.cpu_type);
	if (strcmp(theirs.model, ours->model))
		return xasprintf("by model '%s'", theirs.model);
	if (names_tell_counts(&r->config))
		return NULL;
	if (theirs.period_ns != ours->period_ns)
		return xasprintf("every %" PRIu64 " ns", theirs.period_ns);
	return NULL;
}

/* *ret_name: malloc'd, the session's new one. */
static int rename_session(const struct recorder *r, const char *prefix, char **ret_name)
{
	time_t now = time(NULL);
	int err = -EEXIST;
	char date[20];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	for (int i = 1; err == -EEXIST && i <= SAME_SECOND_MAX; i++) {
		char *name = i == 1 ? xasprintf("%s-%s", prefix, date) :
				      xasprintf("%s-%s-%d", prefix, date, i);
		char *to = session_samples_path(r->config.session_dir, name);

		err = renameat2(AT_FDCWD, r->samples_dir, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno :
											    0;
		free(to);
		if (err)
			free(name);
		else
			*ret_name = name;
	}
	return err;
}

static int keep_as(struct recorder *r, const char *prefix, const char *what, struct op_error *e)
{
	char *name;
	int err = rename_session(r, prefix, &name);

	if (err)
		return op_error_set(e, err, "cannot keep the session's samples, taken %s, under "
				    "another name: %s; opcontrol --reset throws them away", what,
				    strerror(-err));
	op_error_set(&r->note, 0, "the session held samples taken %s: they are kept as session "
		     "'%s'", what, name);
	log_line("%s", r->note.text);
	free(name);
	return 0;
}

int recorder_keep_apart(struct recorder *r, struct op_error *e)
{
	char *what;
	int err;

	if (!kernel_fits_session(r->kernel, r->stats_dir))
		return keep_as(r, "boot-until", "before the machine was started anew", e);
	what = has_samples(r->samples_dir) ? what_differs(r) : NULL;
	err = what ? keep_as(r, "before", what, e) : 0;
	free(what);
	return err;
}

char *recorder_take_note(struct recorder *r)
{
	const char *trouble = recorder_trouble(r), *both = "";
	char *note = NULL;

	if (r->note.text[0] && r->collector_note[0])
		both = "; ";
	if (r->note.text[0] || r->collector_note[0])
		note = xasprintf("%s%s%s", r->note.text, both, r->collector_note);
	else if (*trouble)
		note = xasprintf("samples are being lost: %s", trouble);
	r->note.text[0] = r->collector_note[0] = '\0';
	return note;
}
