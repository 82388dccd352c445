/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odb-check - look into sample files without any of the report tools
 *
 *	odb-check check DIR		every file is whole; prints "FILES SAMPLES"
 *	odb-check totals DIR		"SAMPLES CPU IMAGE APPLICATION" of each file
 *	odb-check where DIR TRUTH	"HOT WRONG OTHER NAME" of each image in TRUTH
 *	odb-check builds DIR TRUTH PATH	the same of the builds of PATH by churn, by their build IDs
 *	odb-check raise DIR IMAGE BELOW	count so much for IMAGE's first key that 2^32 - BELOW are
 *					there, and print how much that was; no daemon may run
 *	odb-check counts STATS_DIR	"cpuN received R recorded C filtered F throttled T
 *					[idle I] [REASON L]..."
 *
 * DIR is a session (SD/samples/NAME), looked through with its parts. TRUTH has lines "NAME
 * HOT_OFFSET HOT_SIZE AREA_OFFSET AREA_SIZE": the base name of an image, the part of the file where
 * it works, and the area around that in which nothing else is ever run: samples there are wrong.
 * OTHER is start-up code and the like.
 * Exit status 1: something is broken.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/odb/odb.h"
#include "libdb/odb/file.h"
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libdb/session/session.h"
#include "libdb/session/parts.h"

static const char *session_dir;
static int broken;

typedef void file_fn(const char *path, const struct odb_snapshot *s,
		     const struct sample_name *name);
static file_fn *on_file;

static void complain(const char *path, const struct op_error *e, int err)
{
	printf("broken: %s: %s\n", path, e->text[0] ? e->text : strerror(-err));
	broken = 1;
}

static uint64_t total_of(const struct odb_snapshot *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->nr_nodes; i++)
		sum += s->nodes[i].count;
	return sum;
}

/* Its writer was killed as it made the file longer: readers see every sample anyway [SF-17]. */
static bool is_being_grown(const char *path, size_t header_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct op_error e = { 0 };
	struct odb_descr descr;
	uint64_t length;
	bool grown;

	grown = fd >= 0 && !odb_read_descr(fd, path, header_size, NULL, &descr, &length, &e) &&
		length > odb_file_length(header_size, descr.size);
	if (fd >= 0)
		close(fd);
	return grown;
}

static void read_file(const char *path)
{
	struct op_error e = { 0 };
	struct sample_header header;
	struct sample_name name;
	struct odb_snapshot s;
	size_t header_size;
	int err;

	err = sample_name_parse(path + strlen(session_dir) + 1, &name, &e);
	if (err)
		return complain(path, &e, err);
	err = sample_header_read(path, &header, &header_size, &e);
	if (!err && !is_being_grown(path, header_size))
		err = odb_check(path, header_size, &e);
	if (!err)
		err = odb_read(path, header_size, &s, &e);
	if (err && err != -ENODATA) {	/* one whose creation is unfinished holds nothing [SF-16] */
		complain(path, &e, err);
	} else if (!err) {
		on_file(path, &s, &name);
		odb_snapshot_free(&s);
	}
	sample_name_free(&name);
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcmp(path + n - m, end);
}

/* Code made at run time lies beside its samples. */
static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	if (ftw->level == 1 && type == FTW_D && !strcmp(path + ftw->base, "stats"))
		return FTW_SKIP_SUBTREE;
	if (type == FTW_F && !ends_in(path, ".jo"))
		read_file(path);
	return FTW_CONTINUE;
}

static void walk_files(const char *dir)
{
	session_dir = dir;
	if (nftw(dir, visit, 64, FTW_PHYS | FTW_ACTIONRETVAL) < 0) {
		printf("broken: %s: %s\n", dir, strerror(errno));
		broken = 1;
	}
}

/* Of the part that is walked, or "". */
static const char *build_id = "";

/* The session's own files, then those of its parts [SS-60]. */
static int walk(const char *dir, file_fn *fn)
{
	struct session_parts parts = { 0 };
	struct op_error e = { 0 };
	char path[PATH_MAX];
	int err;

	on_file = fn;
	walk_files(dir);
	snprintf(path, sizeof(path), "%s/stats", dir);
	err = session_parts_read(path, &parts, &e);
	if (err && err != -ENOENT)
		complain(path, &e, err);
	for (size_t i = 0; i < parts.nr; i++) {
		snprintf(path, sizeof(path), "%s/stats/parts/%zu", dir, i);
		build_id = parts.parts[i].build_id;
		if (!access(path, F_OK))
			walk_files(path);
		build_id = "";
	}
	session_parts_free(&parts);
	return broken;
}

static uint64_t nr_files, nr_samples;

static void count_file(const char *path, const struct odb_snapshot *s,
		       const struct sample_name *name)
{
	(void)path;
	nr_files++;
	if (!name->has_callee)		/* calls between samples' places are no samples */
		nr_samples += total_of(s);
}

static void print_total(const char *path, const struct odb_snapshot *s,
			const struct sample_name *name)
{
	(void)path;
	printf("%" PRIu64 " %" PRId64 " %s%s%s %s\n", total_of(s), name->cpu,
	       name->image.kind == IMAGE_KERNEL ? "{kern}/" : "",
	       name->image.kind == IMAGE_ANON ? "anon:" : "", name->image.path, name->app.path);
}

#define MAX_PLACES 256

/* What the truth file says of one image, and what was found. */
static struct place {
	char name[64];
	int64_t hot_offset, hot_size, area_offset, area_size;
	uint64_t hot, wrong, other;
} places[MAX_PLACES];
static int nr_places;
static const char *churned;	/* the path whose builds are placed; NULL: images by their names */

static struct place *place_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (int i = 0; i < nr_places; i++)
		if (!strcmp(places[i].name, base))
			return &places[i];
	return NULL;
}

static char first_id[64];	/* of the build that lies in the session itself [SS-61] */

/* Where the build of churn's program works that is walked. */
static struct place *place_of_build(const char *path)
{
	const char *id = *build_id ? build_id : first_id;
	char name[8];

	if (strcmp(path, churned) || strncmp(id, "b1d0", 4))
		return NULL;
	snprintf(name, sizeof(name), "v%.2s", id + 4);
	return place_of(name);
}

/* The first line of an image in the session's list. */
static void read_first_id(const char *dir, const char *image)
{
	char path[PATH_MAX], line[PATH_MAX], id[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "%s/stats/images", dir);
	f = fopen(path, "re");
	while (f && !first_id[0] && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%63s %n", id, &n) == 1 && !strcmp(line + n, image))
			strcpy(first_id, id);
	}
	if (f)
		fclose(f);
}

static void place_samples(const char *path, const struct odb_snapshot *s,
			  const struct sample_name *name)
{
	struct place *p = churned ? place_of_build(name->image.path) : place_of(name->image.path);

	(void)path;
	for (uint32_t i = 0; p && i < s->nr_nodes; i++) {
		uint64_t key = s->nodes[i].key;

		if (key - p->hot_offset < (uint64_t)p->hot_size)
			p->hot += s->nodes[i].count;
		else if (key - p->area_offset < (uint64_t)p->area_size)
			p->wrong += s->nodes[i].count;
		else
			p->other += s->nodes[i].count;
	}
}

static int read_truth(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f) {
		perror(path);
		return 1;
	}
	while (nr_places < MAX_PLACES && fgets(line, sizeof(line), f)) {
		struct place *p = &places[nr_places];

		if (sscanf(line, "%63s %" SCNi64 " %" SCNi64 " %" SCNi64 " %" SCNi64, p->name,
			   &p->hot_offset, &p->hot_size, &p->area_offset, &p->area_size) == 5)
			nr_places++;
	}
	fclose(f);
	return 0;
}

static int where(const char *dir, const char *truth)
{
	int err = read_truth(truth);

	if (err)
		return err;
	err = walk(dir, place_samples);
	for (int i = 0; i < nr_places; i++)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", places[i].hot, places[i].wrong,
		       places[i].other, places[i].name);
	return err;
}

static const char *raised_image;
static uint64_t raised_to, raised;

static void raise_first_key(const char *path, const struct odb_snapshot *s,
			    const struct sample_name *name)
{
	struct sample_header header;
	struct op_error e = { 0 };
	struct odb *db;
	size_t size;
	uint64_t n;
	int err;

	if (raised || name->has_callee || strcmp(name->image.path, raised_image) || !s->nr_nodes)
		return;
	n = raised_to - s->nodes[0].count;
	err = sample_header_read(path, &header, &size, &e);
	if (!err)
		err = odb_open(path, size, &db, &e);
	if (!err) {
		err = odb_add(db, s->nodes[0].key, n);
		odb_close(db);
	}
	if (err)
		complain(path, &e, err);
	else
		raised = n;
}

static int raise_count(const char *dir, const char *image, const char *below)
{
	int err;

	raised_image = image;
	raised_to = (UINT64_C(1) << 32) - strtoul(below, NULL, 10);
	err = walk(dir, raise_first_key);
	printf("%" PRIu64 "\n", raised);
	return err || !raised;
}

static int counts(const char *stats_dir)
{
	struct session_counts c;
	int err = session_counts_read(stats_dir, &c);

	if (err) {
		printf("broken: %s: %s\n", stats_dir, strerror(-err));
		return 1;
	}
	for (unsigned int i = 0; i < c.nr_cpus; i++) {
		const struct cpu_counts *cpu = &c.cpu[i];

		printf("cpu%u received %" PRIu64 " recorded %" PRIu64 " filtered %" PRIu64
		       " throttled %" PRIu64, i, cpu->received, cpu->recorded, cpu->filtered,
		       cpu->throttled);
		if (cpu->idle)
			printf(" idle %" PRIu64, cpu->idle);
		for (int r = 0; r < NR_LOSS_REASONS; r++)
			if (cpu->lost[r])
				printf(" %s %" PRIu64, loss_name(r), cpu->lost[r]);
		printf("\n");
	}
	free(c.cpu);
	return 0;
}

int main(int argc, char **argv)
{
	int err = 2;

	if (argc == 3 && !strcmp(argv[1], "check")) {
		err = walk(argv[2], count_file);
		printf("%" PRIu64 " %" PRIu64 "\n", nr_files, nr_samples);
	} else if (argc == 3 && !strcmp(argv[1], "totals")) {
		err = walk(argv[2], print_total);
	} else if (argc == 4 && !strcmp(argv[1], "where")) {
		err = where(argv[2], argv[3]);
	} else if (argc == 5 && !strcmp(argv[1], "builds")) {
		churned = argv[4];
		read_first_id(argv[2], churned);
		err = where(argv[2], argv[3]);
	} else if (argc == 5 && !strcmp(argv[1], "raise")) {
		err = raise_count(argv[2], argv[3], argv[4]);
	} else if (argc == 3 && !strcmp(argv[1], "counts")) {
		err = counts(argv[2]);
	} else {
		fprintf(stderr, "usage: odb-check check DIR | totals DIR | where DIR TRUTH | "
			"builds DIR TRUTH PATH | raise DIR IMAGE BELOW | counts DIR\n");
	}
	return err;
}
