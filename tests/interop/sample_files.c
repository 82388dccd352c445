// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_files.c - our sample files and the original's are the same files
 *
 *	sample_files SESSION.tsv SESSION-DIR WORK-DIR NAME	TAP on stdout
 *
 * The .tsv is the truth: what went into the session, in that order. Three things must hold:
 * every file of the session has the name we would give it; we read the truth from it; and a
 * file that we write from the truth has the same bytes (but for slots that no node uses).
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/odb/file.h"
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define TSV_LIMIT	(64 * 1024 * 1024)
#define SAMPLES_LIMIT	(64 * 1024 * 1024)

struct sample {
	uint64_t key;
	uint32_t count;
};

/* One sample file as it should be. */
struct truth {
	char *path;		/* relative to samples/current */
	struct sample *samples;
	size_t nr, room;
	bool seen;		/* a file of that name is in the session */
};

static struct truth *truths;
static size_t nr_truths, room_truths;
static const char *session, *work, *test_name;
static int number, failures, files;
static int bad_names, bad_samples, bad_bytes;

static void ok(bool good, const char *what)
{
	failures += !good;
	printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number, test_name, what);
}

static struct truth *find_truth(const char *path)
{
	for (size_t i = nr_truths; i-- > 0;)	/* the .tsv is sorted: mostly the last */
		if (!strcmp(truths[i].path, path))
			return &truths[i];
	return NULL;
}

/* --- the .tsv: kind, event, count, mask, then images and fields, tabs between --- */

static uint64_t tsv_number(const char *text)
{
	uint64_t value;

	if (number_parse_u64(text, &value))
		bug("not a number: %s", text);
	return value;
}

static int64_t tsv_id(const char *text)
{
	return strcmp(text, "-") ? (int64_t)tsv_number(text) : SAMPLE_ALL;
}

/* "r" PATH, "k" NAME, "k" PATH (a vmlinux) or "a:NAME" TGID.0xSTART.0xEND */
static void tsv_image(const char *kind, const char *what, struct image_name *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->path = what;
	if (*kind == 'r' || strchr(what, '/')) {
		ret->kind = IMAGE_FILE;
	} else if (*kind == 'k') {
		ret->kind = IMAGE_KERNEL;
	} else {
		ret->kind = IMAGE_ANON;
		ret->path = kind + 2;
		if (sscanf(what, "%" SCNu32 ".0x%" SCNx64 ".0x%" SCNx64, &ret->anon_tgid,
			   &ret->anon_start, &ret->anon_end) != 3)
			bug("not an anonymous mapping: %s", what);
	}
}

/*
 * The original keeps one anonymous name per arc, the callee's [SF-26]: a caller's mapping loses
 * its own, and without any name its range is taken for a module's. In these sessions the
 * callee's name is always "anon".
 */
static void one_anon_name(struct sample_name *n)
{
	static char range[100];

	if (n->callee.kind == IMAGE_ANON)
		n->callee.path = "anon";
	if (n->image.kind != IMAGE_ANON)
		return;
	n->image.path = "anon";
	if (n->callee.kind == IMAGE_ANON)
		return;
	snprintf(range, sizeof(range), "%" PRIu32 ".0x%" PRIx64 ".0x%" PRIx64, n->image.anon_tgid,
		 n->image.anon_start, n->image.anon_end);
	n->image.kind = IMAGE_KERNEL;
	n->image.path = range;
}

static void tsv_line(char *line)
{
	struct strbuf path = STRBUF_INIT;
	struct sample_name n = { .storage = NULL };
	char *f[20] = { NULL }, **rest;
	struct truth *t;
	uint64_t key;
	size_t nr = 0;

	while (line && nr < 20)
		f[nr++] = strsep(&line, "\t");
	if (nr != (*f[0] == 'C' ? 18 : 14))
		return;		/* "cpu" */
	n.event = f[1];
	n.count = tsv_number(f[2]);
	n.unit_mask = tsv_number(f[3]);
	tsv_image(f[4], f[5], &n.app);
	tsv_image(f[6], f[7], &n.image);
	n.has_callee = *f[0] == 'C';
	rest = f + 9;
	if (n.has_callee) {
		tsv_image(f[9], f[10], &n.callee);
		one_anon_name(&n);
		rest = f + 12;
	}
	n.tgid = tsv_id(rest[0]);
	n.tid = tsv_id(rest[1]);
	n.cpu = tsv_id(rest[2]);
	key = tsv_number(rest[3]);
	if (n.has_callee)
		key = key << 32 | (tsv_number(rest[4]) & UINT32_MAX);
	if (sample_name_format(&n, &path))
		bug("no name for line '%s'", f[5]);
	t = find_truth(path.text);
	if (!t) {
		xgrow(truths, nr_truths, room_truths);
		t = &truths[nr_truths++];
		*t = (struct truth){ .path = xstrdup(path.text) };
	}
	xgrow(t->samples, t->nr, t->room);
	t->samples[t->nr++] =
		(struct sample){ key, (uint32_t)tsv_number(rest[n.has_callee ? 5 : 4]) };
	strbuf_free(&path);
}

static void read_tsv(const char *path)
{
	char *text, *p, *line;

	if (file_read_all(path, TSV_LIMIT, &text, NULL))
		bug("cannot read %s", path);
	for (p = text; (line = strsep(&p, "\n"));)
		if (*line)
			tsv_line(line);
	free(text);
}

/* --- reading --- */

static bool name_is_ours(const char *path)
{
	struct strbuf again = STRBUF_INIT;
	struct sample_name name;
	bool same = false;

	if (!sample_name_parse(path, &name, NULL)) {
		same = !sample_name_format(&name, &again) && !strcmp(again.text, path);
		sample_name_free(&name);
	}
	strbuf_free(&again);
	return same;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Sort and sum what has the same key; how many are left. */
static size_t sum_up(struct sample *s, size_t nr)
{
	size_t n = 0;

	qsort(s, nr, sizeof(*s), compare_samples);
	for (size_t i = 0; i < nr; i++) {
		if (n && s[n - 1].key == s[i].key)
			s[n - 1].count += s[i].count;
		else
			s[n++] = s[i];
	}
	return n;
}

static bool samples_are_true(const struct odb_snapshot *got, const struct truth *t)
{
	struct sample *want = xcalloc(t->nr, sizeof(*want)), *have;
	size_t nr_want, nr_have;
	bool same;

	memcpy(want, t->samples, t->nr * sizeof(*want));
	have = xcalloc(got->nr_nodes, sizeof(*have));
	for (uint32_t i = 0; i < got->nr_nodes; i++)
		have[i] = (struct sample){ got->nodes[i].key, got->nodes[i].count };
	nr_want = sum_up(want, t->nr);
	nr_have = sum_up(have, got->nr_nodes);
	same = nr_want == nr_have;
	for (size_t i = 0; same && i < nr_want; i++)
		same = want[i].key == have[i].key && want[i].count == have[i].count;
	free(want);
	free(have);
	return same;
}

/* --- writing --- */

/*
 * Leave out what no node uses: the original's old hash may show through there. And the embedded
 * offset of version 0x12, "unused" in two spellings: 0 by operf, all ones by oprofiled and us.
 */
static void clear_unused(char *bytes, size_t header_size)
{
	struct odb_descr d;
	size_t nodes = odb_nodes_offset(header_size);

	if (header_size == SAMPLE_HEADER_SIZE_099)
		memset(bytes + 56, 0, 8);
	memcpy(&d, bytes + header_size, sizeof(d));
	memset(bytes + nodes + d.current_size * sizeof(struct odb_node), 0,
	       (d.size - d.current_size) * sizeof(struct odb_node));
}

static bool same_bytes(const char *theirs, const char *ours, size_t header_size)
{
	char *a = NULL, *b = NULL;
	size_t n = 0, m = 0;
	bool same = false;

	if (!file_read_all(theirs, SAMPLES_LIMIT, &a, &n) &&
	    !file_read_all(ours, SAMPLES_LIMIT, &b, &m) && n == m) {
		clear_unused(a, header_size);
		clear_unused(b, header_size);
		same = !memcmp(a, b, n);
	}
	free(a);
	free(b);
	return same;
}

static bool written_alike(const char *theirs, const struct truth *t, const struct sample_header *h,
			  size_t header_size)
{
	char *ours = xasprintf("%s/%s", work, t->path);
	struct odb *db = NULL;
	bool same = false;

	if (!file_make_parent_dirs(ours, 0755) && !odb_open(ours, header_size, &db, NULL)) {
		same = !sample_header_store(h, odb_header(db));
		for (size_t i = 0; same && i < t->nr; i++)
			same = !odb_add(db, t->samples[i].key, t->samples[i].count);
		odb_close(db);
		same = same && same_bytes(theirs, ours, header_size);
	}
	free(ours);
	return same;
}

/* --- one file of the session --- */

static void check_file(const char *path, const char *name, struct truth *t)
{
	struct op_error e = { "" };
	struct sample_header header;
	struct odb_snapshot s;
	size_t header_size;

	if (sample_header_read(path, &header, &header_size, &e) ||
	    odb_read(path, header_size, &s, &e) || odb_check(path, header_size, &e)) {
		printf("# %s\n", e.text);
		bad_samples++;
		return;
	}
	if (!samples_are_true(&s, t)) {
		printf("# other samples: %s\n", name);
		bad_samples++;
	}
	odb_snapshot_free(&s);
	if (!written_alike(path, t, &header, header_size)) {
		printf("# other bytes: %s\n", name);
		bad_bytes++;
	}
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = path + strlen(session) + 1;
	struct truth *t;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	files++;
	t = find_truth(name);
	if (!t || !name_is_ours(name)) {
		printf("# name: %s\n", name);
		bad_names++;
		return 0;
	}
	t->seen = true;
	check_file(path, name, t);
	return 0;
}

int main(int argc, char **argv)
{
	int missing = 0;

	if (argc != 5) {
		report_error("usage: sample_files SESSION.tsv SESSION-DIR WORK-DIR NAME");
		return 2;
	}
	read_tsv(argv[1]);
	session = xasprintf("%s/samples/current", argv[2]);
	work = argv[3];
	test_name = argv[4];
	if (nftw(session, visit, 32, FTW_PHYS))
		bug("cannot walk %s", session);
	for (size_t i = 0; i < nr_truths; i++)
		if (!truths[i].seen) {
			printf("# no file: %s\n", truths[i].path);
			missing++;
		}
	printf("# %d files, %zu expected\n", files, nr_truths);
	ok(files && !bad_names && !missing, "every file has the name we would give it");
	ok(files && !bad_samples, "every file holds the samples that went into it");
	ok(files && !bad_bytes, "what we write of the samples is the same file");
	printf("1..%d\n", number);
	return failures != 0;
}
