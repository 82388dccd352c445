// SPDX-License-Identifier: GPL-2.0-or-later
/* odb.c - adding and reading against a plain array; layout, large counts, readers at work */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>
#include "libdb/odb/file.h"
#include "libdb/session/header.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define HEADER SAMPLE_HEADER_SIZE

static struct odb *must_open(const char *path, size_t header_size)
{
	struct op_error e = { "" };
	struct odb *db = NULL;
	int err = odb_open(path, header_size, &db, &e);

	CHECK(!err && !e.text[0], "%d %s", err, e.text);
	if (err)
		exit(1);
	return db;
}

static void must_check(const char *path, size_t header_size, const char *when)
{
	struct op_error e = { "" };
	int err = odb_check(path, header_size, &e);

	CHECK(!err, "%s: %d %s", when, err, e.text);
}

static struct odb_snapshot must_read(const char *path, size_t header_size)
{
	struct odb_snapshot s = { 0 };
	struct op_error e = { "" };
	int err = odb_read(path, header_size, &s, &e);

	CHECK(!err, "%d %s", err, e.text);
	if (err)
		exit(1);
	return s;
}

TEST(new_file)
{
	static const size_t headers[] = { 72, 88, 0, 8 };

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		char *path = tmpdir_path("new");
		struct odb *db = must_open(path, headers[i]);
		struct odb_snapshot s;
		struct stat st;

		CHECK(odb_is_new(db) && odb_nr_nodes(db) == 0, "new");
		odb_close(db);
		CHECK(!stat(path, &st) && st.st_size == (off_t)headers[i] + 32 + 128 * 20 &&
		      (st.st_mode & 0777) == 0644, "%lld bytes", (long long)st.st_size);
		must_check(path, headers[i], "new");
		s = must_read(path, headers[i]);
		CHECK(s.nr_nodes == 0, "%u nodes", s.nr_nodes);
		odb_snapshot_free(&s);
		unlink(path);
	}
	CHECK(odb_open(tmpdir_path("x"), 76, &(struct odb *){ NULL }, NULL) == -EINVAL, "76");
}

/* Rules [SF-10] to [SF-15], byte by byte. */
TEST(layout)
{
	struct odb *db;
	unsigned char bytes[72 + 32 + 128 * 20];
	uint32_t descr[8], node[4], hash;
	uint64_t key = 0x123456789abcu;
	uint32_t t = (uint32_t)(key ^ key >> 32), bucket = (t ^ t >> 8) & 127;
	FILE *f;

	tmpdir_make();
	db = must_open(tmpdir_path("a"), HEADER);
	CHECK(!odb_add(db, key, 3) && !odb_add(db, key, 4) && !odb_add(db, key ^ 128, 1), "add");
	odb_close(db);
	f = fopen(tmpdir_path("a"), "r");
	CHECK(f && fread(bytes, 1, sizeof(bytes), f) == sizeof(bytes) && getc(f) == EOF, "length");
	fclose(f);
	memcpy(descr, bytes + 72, 32);
	CHECK(descr[0] == 128 && descr[1] == 3, "%u %u", descr[0], descr[1]);
	memcpy(node, bytes + 104 + 16, 16);
	CHECK(!memcmp(node, &key, 8) && node[2] == 7 && node[3] == 0, "first node");
	memcpy(&hash, bytes + 104 + 128 * 16 + bucket * 4, 4);
	CHECK(hash == 2, "the later node of the chain is its head, not %u", hash);
	memcpy(node, bytes + 104 + 2 * 16, 16);
	CHECK(node[2] == 1 && node[3] == 1, "and leads to the earlier one, not %u", node[3]);
}

TEST(insert_at_head_of_chain)
{
	struct odb *db;
	struct odb_snapshot s;

	tmpdir_make();
	db = must_open(tmpdir_path("a"), HEADER);
	/* 128 * 257 leaves t ^ t >> 8 the same in its low 7 bits */
	for (uint64_t i = 0; i < 3; i++)
		CHECK(!odb_add(db, i << 40 | i << 8, 1), "add");
	odb_close(db);
	must_check(tmpdir_path("a"), HEADER, "chain");
	s = must_read(tmpdir_path("a"), HEADER);
	CHECK(s.nodes[0].next == 0, "%u", s.nodes[0].next);
	for (uint32_t i = 1; i < s.nr_nodes; i++)
		CHECK(s.nodes[i].next == 0 || s.nodes[i].next < i + 1, "links lead back");
	odb_snapshot_free(&s);
}

static uint64_t count_of(const char *path, uint64_t key, unsigned int *ret_nodes)
{
	struct odb_snapshot s = must_read(path, HEADER);
	uint64_t count = 0;

	*ret_nodes = 0;
	for (uint32_t i = 0; i < s.nr_nodes; i++) {
		if (s.nodes[i].key != key)
			continue;
		count += s.nodes[i].count;
		++*ret_nodes;
	}
	odb_snapshot_free(&s);
	return count;
}

/* Nothing is lost, by whichever path it is added; a chain grown or computed anew has room first. */
TEST(beyond_32_bits)
{
	static const struct {
		uint64_t add[3];
		unsigned int nodes;
	} rows[] = {
		{ { 1, 2, 3 }, 1 },
		{ { UINT32_MAX, 0, 0 }, 1 },
		{ { UINT32_MAX, 1, 0 }, 2 },
		{ { UINT32_MAX - 1, 1, 1 }, 2 },
		{ { UINT32_MAX - 1, 2, 0 }, 2 },
		{ { 0x80000000, 0x80000000, 5 }, 2 },
		{ { UINT32_MAX, UINT32_MAX, UINT32_MAX }, 3 },
		{ { ODB_ADD_MAX, 1, UINT32_MAX }, 258 },
	};
	unsigned int nodes;
	struct odb *db;

	tmpdir_make();
	db = must_open(tmpdir_path("a"), HEADER);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int j = 0; j < 3; j++)
			CHECK(!odb_add(db, i, rows[i].add[j]), "add");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t want = rows[i].add[0] + rows[i].add[1] + rows[i].add[2];

		CHECK(count_of(tmpdir_path("a"), i, &nodes) == want && nodes == rows[i].nodes,
		      "row %zu: %u nodes", i, nodes);
	}
	CHECK(odb_add(db, 0, ODB_ADD_MAX + 1) == -EOVERFLOW, "too many");
	for (int round = 0; round < 3; round++) {
		CHECK(!odb_add_many(db, (uint64_t[]){ 0, 1, 2, 0 }, 4, NULL), "many");
		if (round == 1) {	/* the chains are computed anew */
			for (uint64_t key = 1000; key < 2000; key++)
				CHECK(!odb_add(db, key, 1), "grow");
			db = odb_close(db);
			db = must_open(tmpdir_path("a"), HEADER);
		}
	}
	odb_close(db);
	must_check(tmpdir_path("a"), HEADER, "afterwards");
	CHECK(count_of(tmpdir_path("a"), 0, &nodes) == 12 && nodes == 1, "small: %u", nodes);
	CHECK(count_of(tmpdir_path("a"), 1, &nodes) == UINT32_MAX + UINT64_C(3) && nodes == 2,
	      "full: %u", nodes);
	CHECK(count_of(tmpdir_path("a"), 2, &nodes) == UINT32_MAX + UINT64_C(4) && nodes == 2,
	      "in its second node: %u", nodes);
}

/* --- random operations against a plain array --- */

#define POOL 3000

struct reference {
	uint64_t keys[POOL];
	uint64_t counts[POOL];
};

static void fill_pool(struct reference *r, int kind)
{
	memset(r, 0, sizeof(*r));
	for (int i = 0; i < POOL; i++) {
		uint64_t x = test_random();

		/* dense, text-like, 64 bits wide, all on few chains; 0 and ~0 among them */
		r->keys[i] = kind == 0 ? (uint64_t)i :
			     kind == 1 ? 0x400000 + (uint64_t)i * 5 :
			     kind == 2 ? (x & ~(uint64_t)0xfff) | (uint64_t)i :
					 (uint64_t)i << 40 | (uint64_t)i << 8;
	}
	r->keys[0] = 0;
	r->keys[1] = UINT64_MAX;
}

static void compare(const char *path, const struct reference *r, const char *when)
{
	struct odb_snapshot s = must_read(path, HEADER);
	static uint64_t got[POOL];
	uint32_t matched = 0;

	memset(got, 0, sizeof(got));
	for (uint32_t n = 0; n < s.nr_nodes; n++)
		for (int i = 0; i < POOL; i++)
			if (r->keys[i] == s.nodes[n].key) {
				got[i] += s.nodes[n].count;
				matched++;
				break;
			}
	CHECK(matched == s.nr_nodes, "%s: %u of %u nodes known", when, matched, s.nr_nodes);
	CHECK(!memcmp(got, r->counts, sizeof(got)), "%s: counts differ", when);
	odb_snapshot_free(&s);
}

static void random_step(struct odb *db, struct reference *r)
{
	uint64_t keys[300];
	size_t nr = test_random() % ARRAY_SIZE(keys);
	size_t limit = 1 + test_random() % POOL;

	if (test_random() % 2) {
		for (size_t i = 0; i < nr; i++) {
			size_t k = test_random() % limit;
			uint32_t n = (uint32_t)(test_random() % 5);

			CHECK(!odb_add(db, r->keys[k], n), "add");
			r->counts[k] += n;
		}
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		size_t k = test_random() % limit;

		keys[i] = r->keys[k];
		r->counts[k]++;
	}
	CHECK(!odb_add_many(db, keys, nr, NULL), "add many");
}

TEST(random_operations)
{
	static struct reference r;
	char *path;

	tmpdir_make();
	path = strdup(tmpdir_path("a"));
	for (int kind = 0; kind < 4; kind++) {
		struct odb *db;

		unlink(path);
		fill_pool(&r, kind);
		db = must_open(path, HEADER);
		for (int step = 0; step < 100; step++) {
			random_step(db, &r);
			must_check(path, HEADER, "after a step");
			if (test_random() % 8 == 0)
				db = (odb_close(db), must_open(path, HEADER));
		}
		CHECK(odb_nr_nodes(db) > 500, "it grew: %u keys", odb_nr_nodes(db));
		odb_close(db);
		compare(path, &r, "at the end");
	}
	free(path);
}

/* Chains follow from the nodes: the next writer repairs overwritten links. */
TEST(repairs_links)
{
	struct reference *r = calloc(1, sizeof(*r));
	struct odb *db;
	char *path;
	FILE *f;

	tmpdir_make();
	path = strdup(tmpdir_path("a"));
	fill_pool(r, 1);
	db = must_open(path, HEADER);
	for (int i = 0; i < 1000; i++)
		CHECK(!odb_add(db, r->keys[i], 1), "add");
	odb_close(db);
	f = fopen(path, "r+");
	for (int i = 0; i < 1024; i++) {
		uint32_t junk = (uint32_t)test_random();

		fseek(f, HEADER + 32 + i * 16 + 12, SEEK_SET);
		fwrite(&junk, 4, 1, f);
		fseek(f, HEADER + 32 + 1024 * 16 + i * 4, SEEK_SET);
		fwrite(&junk, 4, 1, f);
	}
	fclose(f);
	CHECK(odb_check(path, HEADER, NULL) == -EPROTO, "spoilt");
	db = must_open(path, HEADER);
	must_check(path, HEADER, "mended");
	for (int i = 0; i < 1000; i++)
		CHECK(!odb_add(db, r->keys[i], 1), "add");
	CHECK(odb_nr_nodes(db) == 1000, "%u keys", odb_nr_nodes(db));
	odb_close(db);
	free(r);
	free(path);
}

/* --- a reader while the writer writes --- */

static struct {
	const char *path;
	bool stop;
	unsigned long reads, torn;
} reader;

/* Every node counts 3 of its key; one that is seen before it is whole would differ. */
static void *read_on(void *unused)
{
	while (!__atomic_load_n(&reader.stop, __ATOMIC_ACQUIRE)) {
		struct odb_snapshot s;
		struct op_error e = { "" };
		int err = odb_read(reader.path, HEADER, &s, &e);

		if (err) {
			printf("# %d %s\n", err, e.text);
			__atomic_fetch_add(&reader.torn, 1, __ATOMIC_RELEASE);
			continue;
		}
		for (uint32_t i = 0; i < s.nr_nodes; i++)
			reader.torn += s.nodes[i].key >> 32 != i + 1 || s.nodes[i].count != 3;
		__atomic_fetch_add(&reader.reads, 1, __ATOMIC_RELEASE);
		odb_snapshot_free(&s);
	}
	return unused;
}

/* Wait until the reader has read once more, however busy the machine is. */
static void wait_for_a_read(void)
{
	unsigned long before = __atomic_load_n(&reader.reads, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&reader.reads, __ATOMIC_ACQUIRE) == before &&
	       !__atomic_load_n(&reader.torn, __ATOMIC_ACQUIRE))
		usleep(100);
}

TEST(concurrent_reader)
{
	pthread_t thread;
	struct odb *db;

	tmpdir_make();
	reader.path = tmpdir_path("a");
	db = must_open(reader.path, HEADER);
	pthread_create(&thread, NULL, read_on, NULL);
	for (uint64_t i = 1; i <= 100000; i++) {
		CHECK(!odb_add(db, i << 32 | 1, 3), "add");
		if (i % 5000 == 0)
			wait_for_a_read();	/* it reads tables of every size */
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	odb_close(db);
	CHECK(reader.torn == 0, "%lu torn in %lu reads", reader.torn, reader.reads);
}

TEST(header_is_the_callers)
{
	struct sample_header h = { .version = SAMPLE_VERSION_1X, .cpu_type = 4, .mtime = 99 }, got;
	size_t size;
	struct odb *db;

	tmpdir_make();
	db = must_open(tmpdir_path("a"), HEADER);
	CHECK(sample_header_read(tmpdir_path("a"), &got, &size, NULL) == -ENODATA, "unborn");
	CHECK(!sample_header_store(&h, odb_header(db)), "store");
	for (uint64_t i = 0; i < 5000; i++)
		CHECK(!odb_add(db, i * 16, 1), "add");
	CHECK(!odb_sync(db), "sync");
	odb_close(db);
	CHECK(!sample_header_read(tmpdir_path("a"), &got, &size, NULL) && got.mtime == 99 &&
	      size == HEADER, "still there");
	db = must_open(tmpdir_path("a"), HEADER);
	CHECK(!odb_is_new(db) && odb_nr_nodes(db) == 5000, "reopened");
	odb_close(db);
}

TEST_MAIN()
