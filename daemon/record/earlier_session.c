// SPDX-License-Identifier: GPL-2.0-or-later
/* earlier_session.c - see earlier_session.h */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "daemon/record/earlier_session.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/local_time.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define SAME_SECOND_MAX	99
#define SAVED_PREFIX	"before"
#define SAVED_MAX	5

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

/* The nominal clock, from which periods are made, is not exactly the same each time it is read. */
static bool periods_differ(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) > a / 100;
}

/* Arcs of one session are never in two places, of which reports would read one. */
static bool has_arcs_elsewhere(const char *stats_dir, const char *theirs, const char *ours)
{
	char *stacks = path_join(stats_dir, STACK_STORE_FILE);
	bool elsewhere = file_exists(stacks) && strcmp(theirs, ours);

	free(stacks);
	return elsewhere;
}

/* How the earlier samples were taken, malloc'd; NULL: ours can be added to them. */
static char *describe_difference(const char *stats_dir, const struct session_info *ours,
				 bool names_have_counts)
{
	struct session_info theirs;

	if (session_info_read(stats_dir, &theirs))
		return NULL;
	if (strcmp(theirs.cpu_type, ours->cpu_type))
		return xasprintf("for CPU type '%s'", theirs.cpu_type);
	if (strcmp(theirs.model, ours->model))
		return xasprintf("with model '%s'", theirs.model);
	if (!names_have_counts && periods_differ(theirs.period_ns, ours->period_ns))
		return xasprintf("every %" PRIu64 " ns", theirs.period_ns);
	if (has_arcs_elsewhere(stats_dir, theirs.call_arcs, ours->call_arcs))
		return xasprintf("%s {cg} files", *theirs.call_arcs ? "without" : "with");
	return NULL;
}

/* *ret_name: malloc'd, the session's new name. */
static int rename_session(const char *session_dir, const char *samples_dir, const char *prefix,
			  char **ret_name)
{
	char date[20] = "";
	int err = -EEXIST;

	(void)local_time(time(NULL), "%Y%m%d-%H%M%S", date, sizeof(date));
	for (int i = 1; err == -EEXIST && i <= SAME_SECOND_MAX; i++) {
		char *name = i == 1 ? xasprintf("%s-%s", prefix, date) :
				      xasprintf("%s-%s-%d", prefix, date, i);
		char *to = session_samples_path(session_dir, name);

		err = renameat2(AT_FDCWD, samples_dir, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno : 0;
		free(to);
		if (err)
			free(name);
		else
			*ret_name = name;
	}
	return err;
}

/* The date of a session that was saved here; sessions that users name are theirs. */
static int is_saved_here(const struct dirent *entry)
{
	static const char like[] = SAVED_PREFIX "-dddddddd-dddddd";
	const char *name = entry->d_name;
	size_t i;

	for (i = 0; like[i]; i++)
		if (like[i] == 'd' && i > strlen(SAVED_PREFIX) ? !isdigit((unsigned char)name[i]) :
								 name[i] != like[i])
			return 0;
	return !name[i] || name[i] == '-';
}

/* Keep the newest; what is removed is appended to @note. */
static void remove_oldest(const char *session_dir, struct op_error *note)
{
	char *samples = path_join(session_dir, "samples");
	struct dirent **entries;
	int nr = scandir(samples, &entries, is_saved_here, alphasort), removed = 0;

	for (int i = 0; i < nr; i++) {
		char *path = path_join(samples, entries[i]->d_name);

		if (i < nr - SAVED_MAX && !file_remove_tree(path))
			removed++;
		free(path);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(samples);
	if (removed)
		op_error_set(note, 0, "%s; removed the oldest of these (%d), since %d are kept",
			     note->text, removed, SAVED_MAX);
}

int earlier_session_save(const char *session_dir, const struct session_info *ours,
			 bool names_have_counts, const struct kernel *kernel, struct op_error *note,
			 struct op_error *e)
{
	char *samples_dir = session_samples_path(session_dir, SESSION_CURRENT);
	char *stats_dir = session_stats_path(session_dir, SESSION_CURRENT, NULL);
	char *difference = NULL, *name = NULL;
	const char *prefix = SAVED_PREFIX;
	int err = 0;

	if (!kernel_fits_session(kernel, stats_dir)) {
		prefix = "boot-until";
		difference = xstrdup("before a reboot");
	} else if (has_samples(samples_dir)) {
		difference = describe_difference(stats_dir, ours, names_have_counts);
	}
	if (difference)
		err = rename_session(session_dir, samples_dir, prefix, &name);
	if (err) {
		op_error_set(e, err, "cannot save the samples taken %s as another session: %s; "
			     "discard them with opcontrol --reset", difference, strerror(-err));
	} else if (difference) {
		op_error_set(note, 0, "the samples taken %s were saved as session '%s'", difference,
			     name);
		remove_oldest(session_dir, note);
		log_line("%s", note->text);
		free(name);
	}
	free(difference);
	free(stats_dir);
	free(samples_dir);
	return err;
}
