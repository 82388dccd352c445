// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import.c - import profiles as sessions and export them again: nothing is lost
 *
 * Profiles are compared as sorted lines "EVENT COUNT LABELS STACK", one for each sample and event.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/exchange/export/profile.h"
#include "pp/exchange/import/session.h"
#include "tests/tap.h"
#include "tests/unit/reader_size.h"
#include "tests/unit/tmpdir.h"

/* --- profiles as text --- */

static void add_labels(const struct profile *p, uint32_t set, struct strbuf *out)
{
	/* in the order of keys, which is not that of ids */
	static const char *const keys[] = { "app", "cgroup", "comm", "cpu", "pid", "tid" };

	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
		for (uint32_t i = 0; i < p->label_sets[set].nr; i++) {
			const struct profile_label *l = &p->labels[p->label_sets[set].first + i];

			if (!strcmp(profile_text(p, l->key), keys[k]))
				strbuf_addf(out, " %s=%s%" PRId64, keys[k],
					    profile_text(p, l->text), l->number);
		}
}

static void add_place(const struct profile *p, const struct profile_place *at,
		       struct strbuf *out)
{
	const struct profile_image *i = at->image == PROFILE_NONE ? NULL : &p->images[at->image];
	const struct profile_line_list lines = p->line_lists[at->lines];

	strbuf_addf(out, " %s@%" PRIx64, i ? profile_text(p, i->path) : "-", at->address);
	if (i)
		strbuf_addf(out, "[%" PRIx64 "-%" PRIx64 "+%" PRIx64 ",%d,%s]", i->start, i->limit,
			    i->offset, i->kind, profile_text(p, i->build_id));
	if (lines.nr)
		strbuf_addf(out, "=%s", profile_text(p, p->functions[p->lines[
			    lines.first + lines.nr - 1].function].system_name));
}

static char *text_of(const struct profile *p)
{
	size_t nr = (size_t)p->nr_samples * p->nr_events, kept = 0;
	char **lines = xcalloc(nr + 1, sizeof(*lines));
	struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct profile_sample *s = &p->samples[i / p->nr_events];
		const struct profile_event *e = &p->events[i % p->nr_events];
		struct strbuf line = STRBUF_INIT;

		if (!p->values[i])
			continue;
		strbuf_addf(&line, "%s/%s/%" PRIu64 "/%" PRIu64 " %" PRId64,
			    profile_text(p, e->name), profile_text(p, e->unit), e->period,
			    e->unit_mask, p->values[i]);
		add_labels(p, s->labels, &line);
		for (uint32_t n = s->node; n != PROFILE_NONE; n = p->tree.nodes[n].parent)
			add_place(p, &p->places[p->tree.nodes[n].key], &line);
		lines[kept++] = strbuf_steal(&line);
	}
	qsort(lines, kept, sizeof(*lines), compare_texts);
	for (size_t i = 0; i < kept; i++) {
		strbuf_addf(&all, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	return strbuf_steal(&all);
}

/* --- import and export --- */

/* Each test has its own, and uses each name of a session once. */
static const char *session_dir(void)
{
	if (!*tmpdir)
		tmpdir_make();
	return tmpdir;
}

static int import(const struct profile *p, const char *name, struct import_session_sums *sums,
		  struct notices *notices, struct op_error *e)
{
	const struct import_session_options how = {
		.session_dir = session_dir(), .name = name, .origin = "test"
	};

	return import_session(p, &how, sums, notices, e);
}

static struct profile *export_session(const char *name)
{
	const struct spec_list nothing = { 0 };
	const struct merge no_merge = { 0 };
	char *word = xasprintf("session:%s", name);
	const char *words[] = { word };
	struct profile_spec spec = { 0 };
	const struct collect_options collecting = {
		.session_dir = session_dir(), .spec = &spec, .merge = &no_merge,
		.image_path = &nothing, .files_only = true,
	};
	const struct export_options exporting = { .symbols = true };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct collection c = { 0 };
	struct profile *p = NULL;

	CHECK(!profile_spec_parse(words, 1, &spec, &e), "%s", e.text);
	CHECK(!collect(&collecting, &c, &notices, &e), "%s", e.text);
	CHECK(!export_profile(&c, &exporting, &p, &notices, &e), "%s", e.text);
	collection_free(&c);
	notices_free(&notices);
	profile_spec_free(&spec);
	free(word);
	return p;
}

static void there_and_back(const struct profile *p, const char *name)
{
	struct import_session_sums sums = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct profile *again;
	char *before = text_of(p), *after;

	CHECK(!import(p, name, &sums, &notices, &e), "%s", e.text);
	CHECK(!notices.nr, "%s", notices.nr ? notices.texts[0] : "");
	again = export_session(name);
	after = text_of(again);
	CHECK(!strcmp(before, after), "in:\n%sout:\n%s", before, after);
	profile_free(again);
	notices_free(&notices);
	free(before);
	free(after);
}

/* --- profiles --- */

static uint32_t add_event(struct profile *p, const char *name, const char *unit, uint64_t period)
{
	return profile_add_event(p, &(struct profile_event){
		profile_string(p, name), profile_string(p, unit), period, 0 });
}

static uint32_t add_image(struct profile *p, const char *path, const char *build, uint64_t start,
			  uint64_t size, uint64_t offset, enum profile_image_kind kind)
{
	return profile_add_image(p, &(struct profile_image){
		profile_string(p, path), profile_string(p, build), start,
		size ? start + size : 0, offset, kind });
}

static uint32_t place(struct profile *p, uint32_t image, uint64_t address, const char *function)
{
	struct profile_function f = { .name = profile_string(p, function) };
	struct profile_line line = { 0 };

	if (!*function)
		return profile_place(p, image, address, NULL, 0);
	f.system_name = f.name;
	line.function = profile_function(p, &f);
	return profile_place(p, image, address, &line, 1);
}

static uint32_t label_pid(struct profile *p, int64_t pid, const char *comm)
{
	const struct profile_label labels[] = {
		{ .key = profile_string(p, "pid"), .number = pid },
		{ .key = profile_string(p, "comm"), .text = profile_string(p, comm) },
	};

	return profile_label_set(p, labels, 2);
}

TEST(stacks_of_two_processes)
{
	struct profile *p = profile_new();
	uint32_t prog, lib, kernel, heap, main_fn, work, leaf, in_kernel, pid1, pid2, n;

	add_event(p, "cpu", "nanoseconds", 1000000);
	add_event(p, "INST.RETIRED", "count", 2000);
	prog = add_image(p, "/nowhere/my prog", "0123456789abcdef", 0x400000, 0x5000, 0,
			 PROFILE_FILE);
	lib = add_image(p, "/nowhere/lib{1}.so", "", 0x7f0000001000, 0x2000, 0x1000, PROFILE_FILE);
	kernel = add_image(p, "[kernel.kallsyms]", "aa55", 0xffffffff81000000, 0x1000000,
			   0xffffffff81000000, PROFILE_KERNEL);
	heap = add_image(p, "[heap]", "", 0x10000, 0x1000, 0, PROFILE_ANON);
	main_fn = place(p, prog, 0x401000, "main");
	work = place(p, prog, 0x401234, "_ZN3geo4Disc4areaEv");
	leaf = place(p, lib, 0x7f0000001800, "leaf");
	in_kernel = place(p, kernel, 0xffffffff81000123, "schedule");
	pid1 = label_pid(p, 1, "one");
	pid2 = label_pid(p, 2, "-");
	n = profile_stack(p, (uint32_t[]){ leaf, work, main_fn }, 3);
	profile_add_sample(p, n, pid1)[0] = 7;
	profile_add_sample(p, n, pid2)[1] = 9;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ work, main_fn }, 2), pid1)[0] = 3;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ leaf, main_fn }, 2), pid1)[0] = 1;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ in_kernel, leaf, work, main_fn }, 4),
			   pid2)[0] = 5;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ place(p, heap, 0x10010, "") }, 1),
			   0)[0] = 2;
	there_and_back(p, "stacks");
	profile_free(p);
}

/* Folded stacks have only names, Java's profiles have IDs, and some addresses are in no image. */
TEST(places_without_an_image)
{
	struct profile *p = profile_new();
	uint32_t a, b, cut;

	add_event(p, "samples", "count", 1);
	a = place(p, PROFILE_NONE, 0, "a;b");
	b = place(p, PROFILE_NONE, 0, "b");
	cut = place(p, PROFILE_NONE, 0, "[cut at the depth asked for]");
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ a, b, a, a }, 4), 0)[0] = 4;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ b }, 1), 0)[0] = 3;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){ b, a, cut }, 3), 0)[0] = 2;
	profile_add_sample(p, profile_stack(p, (uint32_t[]){
		place(p, PROFILE_NONE, 0xdead0000, ""), place(p, PROFILE_NONE, 0xbeef, "c") }, 2),
		0)[0] = 1;
	there_and_back(p, "nowhere");
	profile_free(p);
}

/* An export of the whole session is the original profile, with its single samples in order. */
TEST(original_is_kept)
{
	static const char text[] = "main;b 1\nmain;a 2\nmain;b 4\n";
	unsigned char *bytes = (unsigned char *)strdup(text);
	const struct import_session_options how = {
		.session_dir = session_dir(), .name = "kept", .origin = "folded",
		.bytes = &bytes, .size = strlen(text),
	};
	char *kept = path_join(session_dir(), "samples/kept/stats/profile");
	char *file = path_join(session_dir(), "samples/kept/{root}/[imported]/{dep}/{root}/"
			       "[imported]/samples.1.0.all.all.all");
	struct odb *db;
	const struct format_read_options reading = { 0 };
	struct import_session_sums sums;
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct profile *p = NULL, *again;

	CHECK(!profile_read_bytes("text", bytes, how.size, profile_format_find("folded"),
				  &reading, &p, &e), "%s", e.text);
	CHECK(!import_session(p, &how, &sums, &notices, &e), "%s", e.text);
	again = export_session("kept");
	CHECK(again->nr_samples == 3 && profile_values(again, 2)[0] == 4, "%u samples",
	      again->nr_samples);
	profile_free(again);

	/* an original that is unreadable, or not all of the session, is not used */
	put_text(kept, "main;b one\n");
	again = export_session("kept");
	CHECK(again->nr_samples == 2 && profile_total(again, 0) == 7, "damaged");
	profile_free(again);
	put_text(kept, text);
	CHECK(!odb_open(file, SAMPLE_HEADER_SIZE, &db, &e), "%s", e.text);
	CHECK(!odb_add(db, 0x1000, 1), "one more sample");
	odb_close(db);
	again = export_session("kept");
	CHECK(again->nr_samples == 3 && profile_total(again, 0) == 8, "one without stack");
	profile_free(again);
	free(file);
	profile_free(p);
	free(kept);
}

/* Counts that exceed the counters of sample files are divided, with a notice. */
TEST(large_counts)
{
	struct profile *p = profile_new(), *again;
	struct import_session_sums sums = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	uint32_t image;

	add_event(p, "cpu", "nanoseconds", 10);
	image = add_image(p, "/nowhere/p", "", 0x1000, 0x10000, 0, PROFILE_FILE);
	for (uint64_t i = 0; i < 100; i++)
		profile_add_sample(p, profile_stack(p, (uint32_t[]){
			place(p, image, 0x1000 + i, "f") }, 1), 0)[0] = 99999999999 + (int64_t)i;
	CHECK(!import(p, "large", &sums, &notices, &e), "%s", e.text);
	CHECK(notices.nr == 1 && strstr(notices.texts[0], "divided by 100"), "%zu notices",
	      notices.nr);
	again = export_session("large");
	CHECK(again->events[0].period == 1000, "period %" PRIu64, again->events[0].period);
	CHECK(llabs(profile_total(again, 0) * 100 - profile_total(p, 0)) <= 100,
	      "%" PRId64 " samples", profile_total(again, 0));
	profile_free(again);
	profile_free(p);
	notices_free(&notices);
}

TEST(refused)
{
	struct profile *p = profile_new();
	struct import_session_sums sums = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	char *left = path_join(session_dir(), "samples/none");
	int64_t *values;
	int err;

	add_event(p, "cpu", "nanoseconds", 10);
	values = profile_add_sample(p, profile_stack(p, (uint32_t[]){
		place(p, PROFILE_NONE, 0, "f") }, 1), 0);
	values[0] = -1;
	err = import(p, "none", &sums, &notices, &e);
	CHECK(err == -ENODATA, "%d: negative samples only", err);
	CHECK(!file_exists(left), "something is left");
	values[0] = 1;
	err = import(p, "../up", &sums, &notices, &e);
	CHECK(err == -EINVAL, "%d: a bad name", err);
	CHECK(!import(p, "once", &sums, &notices, &e), "%s", e.text);
	err = import(p, "once", &sums, &notices, &e);
	CHECK(err == -EEXIST, "%d: a second time", err);
	profile_free(p);
	notices_free(&notices);
	free(left);
}

/* The reason is that of the write that failed. */
TEST(no_room_for_stacks)
{
	const struct rlimit limit = { 128 << 10, RLIM_INFINITY };
	struct profile *p = profile_new();
	struct import_session_sums sums = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	uint32_t image, leaf;
	int err;

	add_event(p, "cpu", "nanoseconds", 10);
	image = add_image(p, "/nowhere/p", "", 0x1000, 1 << 20, 0, PROFILE_FILE);
	leaf = place(p, image, 0x1000, "");
	for (uint64_t i = 1; i < 20000; i++)
		profile_add_sample(p, profile_stack(p, (uint32_t[]){
			leaf, place(p, image, 0x1000 + i, "") }, 2), 0)[0] = 1;
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit), "a limit");
	err = import(p, "limited", &sums, &notices, &e);
	CHECK(err == -EFBIG && strstr(e.text, "stats/stacks': File too large"), "%d: %s", err,
	      e.text);
	profile_free(p);
}

/* --- a large profile --- */

#define FUNCTIONS	20000u
#define SITES		2u	/* calls in each function: stacks share 15 of 30 callers */
#define DEPTH		30u
#define LARGE_WORDS	1000000u
#define LARGE_SITES	400000u	/* in random order */
#define FIRST_CODE	0x10000000ull
#define SITE_SIZE	16u

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 24;
}

/*
 * A Google CPU profile of random walks, from the first function down through calls; or of addresses
 * in random order, so that no callers are shared.
 */
static unsigned char *make_large(bool is_shared, size_t *ret_size)
{
	static const char map[] = "10000000-20000000 r-xp 00000000 08:01 77 /nowhere/prog\n";
	const uint64_t head[] = { 0, 3, 0, 10000, 0 }, trailer[] = { 0, 1, 0 };
	uint64_t *words = xcalloc(LARGE_WORDS + 100, sizeof(*words));
	uint32_t random = 1, nr = 5;

	memcpy(words, head, sizeof(head));
	for (; nr < LARGE_WORDS; nr += DEPTH + 2) {
		uint32_t function = 0;

		words[nr] = 1;
		words[nr + 1] = DEPTH;
		for (uint32_t i = DEPTH; i--;) {
			uint32_t site = function * SITES + next_random(&random) % SITES;

			if (!is_shared)
				site = (uint32_t)hash_u64(nr + i) % LARGE_SITES;
			words[nr + 2 + i] = FIRST_CODE + SITE_SIZE * site;
			function = (site * 2654435761u >> 4) % FUNCTIONS;
		}
	}
	memcpy(words + nr, trailer, sizeof(trailer));
	memcpy(words + nr + 3, map, sizeof(map) - 1);
	*ret_size = (nr + 3) * sizeof(*words) + sizeof(map) - 1;
	return (unsigned char *)words;
}

static bool import_large(const void *is_shared)
{
	const struct format_read_options reading = { 0 };
	size_t size;
	unsigned char *bytes = make_large(is_shared, &size);
	char *name = xasprintf("large%d", getpid());
	const struct import_session_options how = {
		.session_dir = session_dir(), .name = name, .origin = "cpuprofile",
		.bytes = &bytes, .size = size,
	};
	struct import_session_sums sums = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct profile *p = NULL;
	bool is_read;

	is_read = !profile_read_bytes("large", bytes, size, NULL, &reading, &p, &e);
	if (is_read)
		profile_finish(p);
	is_read = is_read && !import_session(p, &how, &sums, &notices, &e);
	profile_free(p);
	free(name);
	return is_read && sums.stacks > LARGE_WORDS / (DEPTH + 2) / 2;
}

static bool import_nothing(const void *unused)
{
	(void)unused;
	return true;
}

static void check_memory(const void *is_shared, double most)
{
	bool is_read = false;
	long before = reader_size(import_nothing, NULL, &is_read), size;

	size = reader_size(import_large, is_shared, &is_read);
	CHECK(is_read, "a session");
	CHECK((double)(size - before) <= most * LARGE_WORDS * 8 / 1024, "%ld KiB for %u",
	      size - before, LARGE_WORDS * 8 / 1024);
}

/* At most three times the file, which is in memory itself until it is written. */
TEST(memory_of_a_large_profile)
{
#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer adds to the memory in use");
#endif
	check_memory("shared", 3);
}

/* As many nodes of 8 bytes as the file has words, and half as many places of 16, indexed. */
TEST(memory_without_shared_callers)
{
#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer adds to the memory in use");
#endif
	check_memory(NULL, 4.3);
}

static int compare_words(const void *a, const void *b)
{
	return (*(const uint64_t *)a > *(const uint64_t *)b) -
	       (*(const uint64_t *)a < *(const uint64_t *)b);
}

static bool sort_large(const void *is_shared)
{
	size_t size;
	unsigned char *bytes = make_large(is_shared, &size);

	qsort(bytes, LARGE_WORDS, sizeof(uint64_t), compare_words);
	return bytes[0] == 0;
}

/* User CPU seconds of a process, the fewest of three. */
static double least_time(bool (*work)(const void *what))
{
	double least = 1e9;

	for (int turn = 0; turn < 3; turn++) {
		struct rusage before, after;
		bool is_done = false;
		double seconds;

		getrusage(RUSAGE_CHILDREN, &before);
		reader_size(work, NULL, &is_done);
		getrusage(RUSAGE_CHILDREN, &after);
		CHECK(is_done, "turn %d", turn);
		seconds = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
			  (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
		if (seconds < least)
			least = seconds;
	}
	return least;
}

/* What costs more than a few sorts of the same words looks for things one by one. */
TEST(time_without_shared_callers)
{
	double sorting, importing;

#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer makes other code slower than the C library's sort");
#endif
	sorting = least_time(sort_large);
	importing = least_time(import_large);
	CHECK(importing <= 3 * sorting, "%.3f s, sorting %.3f s", importing, sorting);
}

TEST_MAIN()
