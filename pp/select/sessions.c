/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sessions.c - find the selected sessions and read the files beside their samples */
#include "pp/select/sessions.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/history/folder.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/select/history.h"

/* Names of all sessions, sorted: a report must not depend on the order in the folder. */
static int list_names(const char *samples, char ***ret, size_t *ret_nr)
{
	char **names = NULL;
	size_t nr = 0, room = 0;
	struct dirent *entry;
	DIR *dir = opendir(samples);

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) != NULL) {
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		path = path_join(samples, entry->d_name);
		if (file_is_dir(path)) {
			xgrow(names, nr, room);
			names[nr++] = xstrdup(entry->d_name);
		}
		free(path);
	}
	closedir(dir);
	if (nr)
		qsort(names, nr, sizeof(*names), compare_texts);
	*ret = names;
	*ret_nr = nr;
	return 0;
}

static char *in_stats(const struct report_session *s, const char *file)
{
	char *stats = path_join(s->samples, "stats");
	char *path = path_join(stats, file);

	free(stats);
	return path;
}

static void read_kernel_symbols(struct report_session *s, struct notices *notices)
{
	char *path = in_stats(s, "kernel-symbols");
	struct op_error e = { "" };
	int err = kernel_symbols_read(path, &s->kernel, &e);

	if (!err)
		s->has_kernel_symbols = true;
	else if (err != -ENOENT)
		notice_add(notices, "session '%s': cannot read its kernel symbols: %s", s->label,
			   *e.text ? e.text : strerror(-err));
	free(path);
}

static void notice_unreadable(struct notices *notices, const char *stats, const char *file, int err,
		       const struct op_error *e)
{
	if (err != -ENOENT)
		notice_add(notices, "cannot read '%s/%s': %s", stats, file,
			   *e->text ? e->text : strerror(-err));
}

static void read_counts(struct report_session *s, const char *stats, struct notices *notices)
{
	struct session_counts counts = { 0 };
	struct op_error e = { "" };
	int err = session_counts_read_e(stats, &counts, &e);

	if (err) {
		notice_unreadable(notices, stats, "counts", err, &e);
		return;
	}
	s->has_counts = true;
	session_counts_total(&counts, &s->counts);
	for (unsigned int i = 0; i < counts.nr_cpus; i++)
		if (counts.cpu[i].event_errors && !s->nr_failed++)
			s->first_failed = i;
	free(counts.cpu);
}

static void read_times(struct report_session *s, const char *stats, struct notices *notices)
{
	struct op_error e = { "" };
	int err = event_times_read(stats, &s->times, &e);

	if (!err)
		return;
	s->times = (struct event_times){ 0 };
	notice_unreadable(notices, stats, "event-times", err, &e);
}

static void read_stats(struct report_session *s, bool times, struct notices *notices)
{
	char *stats = path_join(s->samples, "stats");
	struct op_error e = { "" };
	int err = session_info_read_e(stats, &s->info, &e);

	s->has_info = !err;
	if (err)
		notice_unreadable(notices, stats, "session", err, &e);
	read_counts(s, stats, notices);
	if (times)
		read_times(s, stats, notices);
	*e.text = '\0';
	err = image_ids_read(stats, &s->ids);
	if (err) {
		s->ids = NULL;
		notice_unreadable(notices, stats, "images", err, &e);
	}
	*e.text = '\0';
	err = session_parts_read(stats, &s->parts, &e);
	if (err)
		notice_unreadable(notices, stats, "parts/index", err, &e);
	*e.text = '\0';
	err = session_processes_read(stats, &s->processes, &e);
	if (err)
		notice_unreadable(notices, stats, "processes", err, &e);
	read_kernel_symbols(s, notices);
	free(stats);
}

static void add_session(struct session_list *list, const char *archive, const char *name,
			char *samples, bool times, struct notices *notices)
{
	struct report_session *s;

	list->sessions = xrealloc_array(list->sessions, list->nr + 1, sizeof(*list->sessions));
	s = &list->sessions[list->nr++];
	*s = (struct report_session){
		.name = xstrdup(name),
		.label = archive ? path_join(archive, name) : xstrdup(name),
		.samples = samples,
	};
	read_stats(s, times, notices);
}

/* session:/path and session:./path name the folder itself [PS-9]. */
static void add_paths(struct session_list *list, const struct profile_spec *spec, bool times,
		      bool *exists, struct notices *notices)
{
	const struct spec_list *wanted = &spec->list[SPEC_SESSION];

	for (size_t i = 0; i < wanted->nr; i++) {
		const char *text = wanted->items[i].text;

		if ((*text == '/' || *text == '.') && file_is_dir(text)) {
			add_session(list, NULL, text, xstrdup(text), times, notices);
			exists[i] = true;
		}
	}
}

/* --- ranges of the history --- */

static void add_history(struct session_list *list, const struct profile_spec *spec,
			const struct session_history *history, bool times, struct notices *notices)
{
	struct report_session *s;

	add_session(list, spec->archive, HISTORY_DIR, xstrdup(history->folder), times, notices);
	s = &list->sessions[list->nr - 1];
	s->history = xcalloc(1, sizeof(*s->history));
	*s->history = *history;
	s->info.start_time = (uint64_t)history->begin_ns / NS_PER_SECOND;
	s->info.end_time = (uint64_t)history->end_ns / NS_PER_SECOND;
	snprintf(s->info.call_arcs, sizeof(s->info.call_arcs), "%s", SESSION_ARCS_OF_STACKS);
	s->has_counts = true;
	s->counts = history->counts;
	if (s->ids)
		image_ids_free(s->ids);
	history_filer_end(s->history, &s->ids);
}

static int open_range(const char *session_dir, const struct profile_spec *spec, bool times,
		      struct session_list *ret, struct notices *notices, struct op_error *e)
{
	struct session_list list = { 0 };
	struct session_history *histories;
	size_t nr;
	int err = spec->list[SPEC_SESSION].nr
		  ? op_error_set(e, -EINVAL, "'session:' and a range of time cannot be used "
				 "together: the history has no sessions")
		  : histories_read(session_dir, &spec->time, spec->segment, &histories, &nr,
				   notices, e);

	if (err)
		return err;
	for (size_t i = 0; i < nr; i++)
		add_history(&list, spec, &histories[i], times, notices);
	free(histories);
	list.existing = xstrdup(HISTORY_DIR);
	*ret = list;
	return 0;
}

/* --- */

/* The first of @wanted that is no session, or NULL. */
static const char *find_missing(const struct profile_spec *spec, const bool *exists)
{
	const struct spec_list *wanted = &spec->list[SPEC_SESSION];

	for (size_t i = 0; i < wanted->nr; i++)
		if (!exists[i])
			return wanted->items[i].text;
	return NULL;
}

/* "no session 'monday' in 'DIR/samples'", if @missing is one. */
static void name_missing(const char *session_dir, const char *missing, struct strbuf *text)
{
	if (*missing == '/' || *missing == '.')
		strbuf_addf(text, "no session '%s': no such folder", missing);
	else if (strpbrk(missing, "*?["))
		strbuf_addf(text, "no session matches '%s' in '%s/samples'", missing, session_dir);
	else
		strbuf_addf(text, "no session '%s' in '%s/samples'", missing, session_dir);
}

static bool has_history(const char *session_dir)
{
	char *history = path_join(session_dir, HISTORY_DIR);
	bool exists = file_is_dir(history);

	free(history);
	return exists;
}

static int none_found(const char *session_dir, const struct profile_spec *spec,
		      const char *missing, const struct session_list *list, struct op_error *e)
{
	struct strbuf text = STRBUF_INIT;

	if (missing) {
		name_missing(session_dir, missing, &text);
		if (*missing != '/' && *missing != '.')
			strbuf_addf(&text, "%s%.400s", *list->existing
				    ? "; the sessions there are: "
				    : "; record one with operf PROGRAM or opcontrol --start",
				    list->existing);
		op_error_set(e, -ENOENT, "%s", text.text);
		strbuf_free(&text);
		return -ENOENT;
	}
	if (!*list->existing)
		return op_error_set(e, -ENOENT, "no session in '%s/samples'; %s", session_dir,
				    has_history(session_dir)
				    ? "choose a range of its history with --since or time:A..B"
				    : "record one with operf PROGRAM or opcontrol --start");
	if (!spec->list[SPEC_SESSION].nr)
		return op_error_set(e, -ENOENT,
				    "no session 'current' in '%s/samples'; choose another with "
				    "session:NAME: %s", session_dir, list->existing);
	return op_error_set(e, -ENOENT, "no matching session in '%s/samples', which has: %s",
			    session_dir, list->existing);
}

int sessions_open(const char *session_dir, const struct profile_spec *spec, bool times,
		  struct session_list *ret, struct notices *notices, struct op_error *e)
{
	struct session_list list = { 0 };
	struct strbuf existing = STRBUF_INIT;
	char *samples;
	const struct spec_list *wanted = &spec->list[SPEC_SESSION];
	const char *missing;
	char **names = NULL;
	size_t nr = 0;
	bool *exists;
	int err;

	if (spec->has_time)
		return open_range(session_dir, spec, times, ret, notices, e);
	samples = path_join(session_dir, "samples");
	exists = xcalloc(wanted->nr + 1, sizeof(*exists));
	err = list_names(samples, &names, &nr);

	if (err && err != -ENOENT && err != -ENOTDIR) {
		err = op_error_set(e, err, "cannot open '%s': %s", samples, strerror(-err));
		free(samples);
		free(exists);
		return err;
	}
	for (size_t i = 0; i < nr; i++) {
		strbuf_addf(&existing, "%s%s", i ? ", " : "", names[i]);
		for (size_t k = 0; k < wanted->nr; k++)
			exists[k] |= profile_spec_is_session(spec, &wanted->items[k], names[i]);
		if (profile_spec_wants_session(spec, names[i]))
			add_session(&list, spec->archive, names[i], path_join(samples, names[i]),
				    times, notices);
		free(names[i]);
	}
	free(names);
	free(samples);
	list.existing = strbuf_steal(&existing);
	add_paths(&list, spec, times, exists, notices);
	missing = find_missing(spec, exists);
	free(exists);
	if (!list.nr) {
		err = none_found(session_dir, spec, missing, &list, e);
		sessions_close(&list);
		return err;
	}
	if (missing) {
		struct strbuf text = STRBUF_INIT;

		name_missing(session_dir, missing, &text);
		notice_add(notices, "%s", text.text);
		strbuf_free(&text);
	}
	*ret = list;
	return 0;
}

void sessions_close(struct session_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct report_session *s = &list->sessions[i];

		if (s->has_kernel_symbols)
			kernel_symbols_free(&s->kernel);
		if (s->ids)
			image_ids_free(s->ids);
		session_parts_free(&s->parts);
		session_processes_free(&s->processes);
		event_times_free(&s->times);
		if (s->history)
			session_history_free(s->history);
		free(s->history);
		free(s->name);
		free(s->label);
		free(s->samples);
	}
	free(list->sessions);
	free(list->existing);
	*list = (struct session_list){ 0 };
}
