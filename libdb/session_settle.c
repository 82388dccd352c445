// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_settle.c - add up what the sample files hold, and book the difference to the counts
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "file.h"
#include "odb.h"
#include "sample_header.h"
#include "sample_name.h"
#include "session.h"
#include "session_settle.h"
#include "strbuf.h"
#include "xalloc.h"

/* What the files hold */

struct total {
	size_t prefix;			/* of a path, as far as the session */
	uint64_t samples;
	struct op_error *e;
};

/* A file that no report can read holds nothing, as far as the counts are concerned. */
static bool is_no_sample_file(int err)
{
	return err == -ENODATA || err == -EPROTO || err == -ENOTSUP;
}

static int add_file(struct total *t, const char *path)
{
	struct odb_snapshot snapshot;
	struct sample_header header;
	size_t size;
	int err = sample_header_read(path, &header, &size, t->e);

	if (!err)
		err = odb_read(path, size, &snapshot, t->e);
	if (err)
		return is_no_sample_file(err) ? 0 : err;
	for (uint32_t i = 0; i < snapshot.nr_nodes; i++)
		t->samples += snapshot.nodes[i].count;
	odb_snapshot_free(&snapshot);
	return 0;
}

/* Arcs of call graphs are no samples. */
static bool holds_samples(const char *name)
{
	struct sample_name parsed;
	bool holds;

	if (sample_name_parse(name, &parsed, NULL))
		return false;
	holds = !parsed.has_callee;
	sample_name_free(&parsed);
	return holds;
}

static bool is_of_type(const char *path, const struct dirent *entry, int type, mode_t mode)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == type;
	return !lstat(path, &st) && (st.st_mode & S_IFMT) == mode;
}

static void free_names(char **names, size_t nr)
{
	while (nr)
		free(names[--nr]);
	free(names);
}

/* Add the files of folder @path; *ret_names are the folders in it. */
static int add_folder(struct total *t, struct strbuf *path, char ***ret_names, size_t *ret_nr)
{
	size_t len = path->len, nr = 0, room = 0;
	struct dirent *entry;
	char **names = NULL;
	DIR *dir = opendir(path->text);
	int err = 0;

	if (!dir)
		return op_error_set(t->e, -errno, "cannot open '%s': %s", path->text,
				    strerror(errno));
	while (!err && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    (len < t->prefix && !strcmp(name, "stats")))
			continue;
		strbuf_addf(path, "/%s", name);
		if (is_of_type(path->text, entry, DT_DIR, S_IFDIR)) {
			xgrow(names, nr, room);
			names[nr++] = xstrdup(name);
		} else if (is_of_type(path->text, entry, DT_REG, S_IFREG) &&
			   holds_samples(path->text + t->prefix)) {
			err = add_file(t, path->text);
		}
		strbuf_truncate(path, len);
	}
	closedir(dir);
	*ret_names = names;
	*ret_nr = nr;
	return err;
}

/* One folder is open at a time: sample files lie as deep as the deepest path executed. */
static int add_tree(struct total *t, struct strbuf *path)
{
	size_t len = path->len, nr = 0;
	char **names = NULL;
	int err = add_folder(t, path, &names, &nr);

	for (size_t i = 0; i < nr && !err; i++) {
		strbuf_addf(path, "/%s", names[i]);
		err = add_tree(t, path);
		strbuf_truncate(path, len);
	}
	free_names(names, nr);
	return err;
}

static int add_up(const char *samples_dir, uint64_t *ret, struct op_error *e)
{
	struct strbuf path = STRBUF_INIT;
	struct total t = { .e = e };
	int err;

	strbuf_add(&path, samples_dir);
	t.prefix = path.len + 1;
	err = add_tree(&t, &path);
	strbuf_free(&path);
	if (!err)
		*ret = t.samples;
	return err;
}

/* What the counts say */

static bool ended_in_order(const char *stats_dir)
{
	struct session_info info;

	return !session_info_read(stats_dir, &info) && info.end_time;
}

/* Counts that cannot be used are as good as none: what the files hold is all that is known. */
static int read_counts(const char *stats_dir, struct session_counts *ret, struct settlement *s,
		       struct op_error *e)
{
	int err = session_counts_read_e(stats_dir, ret, &s->counts);

	if (err == -ENOENT)
		s->counts.text[0] = '\0';
	if (err && err != -ENOENT && err != -EPROTO && err != -EFBIG)
		return op_error_set(e, err, "%s", s->counts.text);
	if (err || !ret->nr_cpus) {
		if (!err)
			free(ret->cpu);
		ret->nr_cpus = 1;
		ret->cpu = xcalloc(1, sizeof(*ret->cpu));
	}
	return 0;
}

/*
 * Book @n samples, found in the files or missing there. Which CPUs took them nobody knows: each
 * gets its part as by what it has recorded.
 */
static void book(struct session_counts *counts, uint64_t recorded, uint64_t n, bool found)
{
	for (unsigned int i = 0; i < counts->nr_cpus && n; i++) {
		struct cpu_counts *c = &counts->cpu[i];
		uint64_t was = c->recorded;
		uint64_t part = recorded ? (unsigned __int128)n * was / recorded : n;

		if (found) {
			c->recorded += part;
			c->received += part;
		} else {
			c->recorded -= part;
			c->lost[LOST_SAMPLE_FILE] += part;
		}
		n -= part;
		recorded -= was;	/* the last CPU that has any gets the rest */
	}
}

static int write_counts(const char *stats_dir, const struct session_counts *counts,
			struct op_error *e)
{
	int err = file_make_dirs(stats_dir, 0755);

	if (!err)
		err = session_counts_write(stats_dir, counts);
	return err ? op_error_set(e, err, "cannot write '%s/counts': %s", stats_dir,
				  strerror(-err)) : 0;
}

static int settle(const char *samples_dir, const char *stats_dir, struct settlement *s,
		  struct op_error *e)
{
	struct session_counts counts = { 0, NULL };
	struct cpu_counts all;
	uint64_t held;
	int err = add_up(samples_dir, &held, e);

	if (!err)
		err = read_counts(stats_dir, &counts, s, e);
	if (err)
		return err;
	session_counts_total(&counts, &all);
	s->found = held > all.recorded ? held - all.recorded : 0;
	s->missing = held < all.recorded ? all.recorded - held : 0;
	if (s->found || s->missing || s->counts.text[0]) {
		book(&counts, all.recorded, s->found + s->missing, s->found);
		err = write_counts(stats_dir, &counts, e);
	}
	free(counts.cpu);
	return err;
}

int session_settle(const char *samples_dir, struct settlement *ret, struct op_error *e)
{
	char *stats_dir = path_join(samples_dir, "stats");
	struct settlement s = { 0 };
	int err = 0;

	if (file_is_dir(samples_dir) && !ended_in_order(stats_dir))
		err = settle(samples_dir, stats_dir, &s, e);
	free(stats_dir);
	if (!err)
		*ret = s;
	return err;
}
