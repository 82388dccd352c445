// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settle.c - sum up the samples in the sample files, and adjust the counts by the difference
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libdb/session/parts.h"
#include "libdb/session/session.h"
#include "libdb/session/settle.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

/* The samples in files */

struct total {
	size_t prefix;			/* bytes of a path up to the session */
	uint64_t samples;
	uint64_t of_cpu[COUNTS_MAX_CPUS];	/* in files of one CPU */
	unsigned int nr_cpus;
	struct op_error *e;
};

/* A file that no report can read counts as empty. */
static bool is_unusable_file(int err)
{
	return err == -ENODATA || err == -EPROTO || err == -ENOTSUP;
}

static void add_samples(struct total *t, int64_t cpu, uint64_t samples)
{
	t->samples += samples;
	if (cpu < 0 || cpu >= COUNTS_MAX_CPUS)
		return;
	t->of_cpu[cpu] += samples;
	if (cpu >= t->nr_cpus)
		t->nr_cpus = cpu + 1;
}

static int add_file(struct total *t, const char *path, int64_t cpu)
{
	struct odb_snapshot snapshot;
	struct sample_header header;
	uint64_t samples = 0;
	size_t size;
	int err = sample_header_read(path, &header, &size, t->e);

	if (!err)
		err = odb_read(path, size, &snapshot, t->e);
	if (err)
		return is_unusable_file(err) ? 0 : err;
	for (uint32_t i = 0; i < snapshot.nr_nodes; i++)
		samples += snapshot.nodes[i].count;
	odb_snapshot_free(&snapshot);
	add_samples(t, cpu, samples);
	return 0;
}

/* Not of files of arcs or derived events. *ret_cpu: the CPU in the name, or SAMPLE_ALL. */
static bool holds_samples(const char *name, int64_t *ret_cpu)
{
	struct sample_name parsed;
	bool holds;

	if (sample_name_parse(name, &parsed, NULL))
		return false;
	holds = !parsed.has_callee && !sample_event_is_derived(parsed.event);
	*ret_cpu = parsed.cpu;
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

/* Add the files in folder @path; *ret_names are the folders in it. */
static int add_folder(struct total *t, struct strbuf *path, char ***ret_names, size_t *ret_nr)
{
	size_t len = path->len, nr = 0, room = 0;
	struct dirent *entry;
	char **names = NULL;
	DIR *dir = opendir(path->text);
	int64_t cpu;
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
			   holds_samples(path->text + t->prefix, &cpu)) {
			err = add_file(t, path->text, cpu);
		}
		strbuf_truncate(path, len);
	}
	closedir(dir);
	*ret_names = names;
	*ret_nr = nr;
	return err;
}

/* One folder is open at a time because sample files lie as deep as the deepest executed path. */
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

static int add_folder_of_samples(const char *dir, struct total *t)
{
	struct strbuf path = STRBUF_INIT;
	int err;

	strbuf_add(&path, dir);
	t->prefix = path.len + 1;
	err = add_tree(t, &path);
	strbuf_free(&path);
	return err;
}

/* The session's own files and those of its parts [SS-60], which are only found by the index. */
static int sum_up(const char *samples_dir, const char *stats_dir, struct total *t,
		  struct op_error *e)
{
	struct session_parts parts = { 0 };
	int err;

	t->e = e;
	err = add_folder_of_samples(samples_dir, t);
	(void)session_parts_read(stats_dir, &parts, NULL);
	for (size_t i = 0; i < parts.nr && !err; i++) {
		char *dir = session_part_path(stats_dir, i);

		if (file_is_dir(dir))
			err = add_folder_of_samples(dir, t);
		free(dir);
	}
	session_parts_free(&parts);
	return err;
}

/* The counts */

/* Samples in files that are summed up; saturates because a malformed file may say anything. */
static uint64_t nr_plain(const struct cpu_counts *c)
{
	return c->recorded > c->extended ? c->recorded - c->extended : 0;
}

static bool has_ended_in_order(const char *stats_dir)
{
	struct session_info info;

	return !session_info_read(stats_dir, &info) && info.end_time;
}

/* Unusable counts are replaced by what the files hold. */
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

static void adjust_cpu(struct cpu_counts *c, uint64_t n, bool found)
{
	if (found) {
		c->recorded += n;
		c->received += n;
	} else {
		c->recorded -= n;
		c->lost[LOST_SAMPLE_FILE] += n;
	}
}

/*
 * @n samples were found in the files or are missing there, of unknown CPUs. Each CPU gets a share
 * in proportion to what it has recorded, or an equal one if nothing is recorded.
 */
static void adjust_in_proportion(struct session_counts *counts, uint64_t recorded, uint64_t n,
				 bool found)
{
	uint64_t weight, left = recorded ? recorded : counts->nr_cpus;

	for (unsigned int i = 0; i < counts->nr_cpus && n; i++) {
		uint64_t part;

		weight = recorded ? nr_plain(&counts->cpu[i]) : 1;
		part = count_scale(n, weight, 0, left);
		adjust_cpu(&counts->cpu[i], part, found);
		n -= part;
		left -= weight;		/* the last CPU with a weight gets the rest */
	}
}

/* All files are of one CPU each, so the CPUs are known. */
static void adjust_by_cpu(struct session_counts *counts, const struct total *t,
			  struct settlement *s)
{
	session_counts_reserve(counts, t->nr_cpus);
	s->found = s->missing = 0;
	for (unsigned int i = 0; i < counts->nr_cpus; i++) {
		uint64_t held = t->of_cpu[i], counted = nr_plain(&counts->cpu[i]);
		uint64_t n = held > counted ? held - counted : counted - held;

		adjust_cpu(&counts->cpu[i], n, held > counted);
		*(held > counted ? &s->found : &s->missing) += n;
	}
}

static bool is_all_by_cpu(const struct total *t)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < t->nr_cpus; i++)
		sum += t->of_cpu[i];
	return sum && sum == t->samples;
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
	struct total t = { .samples = 0 };
	uint64_t recorded = 0;
	int err = sum_up(samples_dir, stats_dir, &t, e);

	if (!err)
		err = read_counts(stats_dir, &counts, s, e);
	if (err)
		return err;
	for (unsigned int i = 0; i < counts.nr_cpus; i++)
		recorded += nr_plain(&counts.cpu[i]);
	s->found = t.samples > recorded ? t.samples - recorded : 0;
	s->missing = t.samples < recorded ? recorded - t.samples : 0;
	if (is_all_by_cpu(&t))
		adjust_by_cpu(&counts, &t, s);
	else
		adjust_in_proportion(&counts, recorded, s->found + s->missing, s->found);
	if (session_settle_stacks(stats_dir, &counts) || s->found || s->missing ||
	    s->counts.text[0])
		err = write_counts(stats_dir, &counts, e);
	free(counts.cpu);
	return err;
}

int session_settle(const char *samples_dir, struct settlement *ret, struct op_error *e)
{
	char *stats_dir = path_join(samples_dir, "stats");
	struct settlement s = { 0 };
	int err = 0;

	if (file_is_dir(samples_dir) && !has_ended_in_order(stats_dir))
		err = settle(samples_dir, stats_dir, &s, e);
	if (!err)
		session_give_up_reserve(stats_dir);
	free(stats_dir);
	if (!err)
		*ret = s;
	return err;
}
