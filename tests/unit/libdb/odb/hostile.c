// SPDX-License-Identifier: GPL-2.0-or-later
/* hostile.c - malformed sample files are refused or harmless, and never crash a reader */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include "libdb/odb/file.h"
#include "libdb/session/header.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define HEADER	SAMPLE_HEADER_SIZE
#define SLOTS	256
#define LENGTH	(HEADER + 32 + SLOTS * 20)
#define SIZE_AT	HEADER
#define USED_AT	(HEADER + 4)

static unsigned char good[LENGTH];	/* 200 keys, table of 256 */

static void make_good(void)
{
	struct sample_header h = { .version = SAMPLE_VERSION_1X };
	struct op_error e;
	struct odb *db;
	FILE *f;

	tmpdir_make();
	if (odb_open(tmpdir_path("good"), HEADER, &db, &e))
		exit(1);
	sample_header_store(&h, odb_header(db));
	for (uint64_t i = 0; i < 200; i++)
		CHECK(!odb_add(db, i * 7 + 1, (uint32_t)i + 1), "add");
	odb_close(db);
	f = fopen(tmpdir_path("good"), "r");
	CHECK(fread(good, 1, LENGTH, f) == LENGTH && getc(f) == EOF, "length");
	fclose(f);
}

static const struct {
	const char *what;
	size_t at;
	uint32_t value;
	int read_err, open_err;
} rows[] = {
	{ "size 0", SIZE_AT, 0, -EPROTO, -EPROTO },
	{ "size 1", SIZE_AT, 1, -EPROTO, -EPROTO },
	{ "size not a power of two", SIZE_AT, 255, -EPROTO, -EPROTO },
	{ "size half: more used than there are", SIZE_AT, 128, -EPROTO, -EPROTO },
	{ "size double: file too short", SIZE_AT, 512, -EPROTO, -EPROTO },
	{ "size 2^26", SIZE_AT, 1u << 26, -EPROTO, -EPROTO },
	{ "size 2^27", SIZE_AT, 1u << 27, -EPROTO, -EPROTO },
	{ "size 2^31", SIZE_AT, 1u << 31, -EPROTO, -EPROTO },
	{ "size ~0", SIZE_AT, UINT32_MAX, -EPROTO, -EPROTO },
	{ "nothing used", USED_AT, 0, -EPROTO, -EPROTO },
	{ "only slot 0 used", USED_AT, 1, 0, 0 },
	{ "all used", USED_AT, 256, 0, 0 },
	{ "more used than there are", USED_AT, 257, -EPROTO, -EPROTO },
	{ "used ~0", USED_AT, UINT32_MAX, -EPROTO, -EPROTO },
	{ "slot 0 has a key", HEADER + 32, 5, 0, 0 },
	{ "slot 0 links far away", HEADER + 32 + 12, 0x7fffffff, 0, 0 },
	{ "a node links far away", HEADER + 32 + 16 + 12, UINT32_MAX, 0, 0 },
	{ "a node links to itself", HEADER + 32 + 16 + 12, 1, 0, 0 },
	{ "a chain begins far away", HEADER + 32 + SLOTS * 16, UINT32_MAX, 0, 0 },
	{ "a chain begins in an unused slot", HEADER + 32 + SLOTS * 16, 250, 0, 0 },
};

/* A file that opens can be added to and is sound from then on. */
static void add_to(const char *path, const char *what)
{
	struct op_error e = { "" };
	struct odb *db;

	if (odb_open(path, HEADER, &db, &e))
		return;
	for (uint64_t i = 0; i < 700; i++)
		CHECK(!odb_add(db, i * 13, 1), "%s: add", what);
	for (uint64_t i = 0; i < 700; i++)
		CHECK(!odb_add_many(db, &(uint64_t){ i }, 1, NULL), "%s: add", what);
	odb_close(db);
	CHECK(!odb_check(path, HEADER, &e), "%s: %s", what, e.text);
}

TEST(every_field_wrong)
{
	make_good();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char bytes[LENGTH], after[LENGTH];
		struct odb_snapshot s = { NULL, NULL, 7 };
		char *path = tmpdir_path("bad");
		struct op_error e = { "" };
		struct odb *db = NULL;
		int err;

		memcpy(bytes, good, LENGTH);
		memcpy(bytes + rows[i].at, &rows[i].value, 4);
		put_file(path, bytes, LENGTH);
		err = odb_read(path, HEADER, &s, &e);
		/* a size of 0 with used slots is not an unfinished file */
		CHECK(err == rows[i].read_err, "%s: read: %d %s", rows[i].what, err, e.text);
		CHECK(!err == !e.text[0], "%s: text '%s'", rows[i].what, e.text);
		if (err)
			CHECK(!s.nodes && s.nr_nodes == 7, "%s: output changed", rows[i].what);
		else
			odb_snapshot_free(&s);
		err = odb_open(path, HEADER, &db, &e);
		CHECK(err == rows[i].open_err, "%s: open: %d %s", rows[i].what, err, e.text);
		odb_close(db);
		if (err) {
			FILE *f = fopen(path, "r");

			CHECK(fread(after, 1, LENGTH, f) == LENGTH && getc(f) == EOF &&
			      !memcmp(after, bytes, LENGTH), "%s: file changed", rows[i].what);
			fclose(f);
		}
		add_to(path, rows[i].what);
	}
}

TEST(truncated_at_each_length)
{
	make_good();
	for (size_t n = 0; n < LENGTH; n += n < 200 ? 1 : 37) {
		struct odb_snapshot s;
		char *path = tmpdir_path("cut");
		struct odb *db = NULL;
		int err;

		put_file(path, good, n);
		err = odb_read(path, HEADER, &s, NULL);
		CHECK(err == (n ? -EPROTO : -ENODATA), "%zu bytes: read %d", n, err);
		if (!n)
			continue;
		err = odb_open(path, HEADER, &db, NULL);
		CHECK(err == -EPROTO, "%zu bytes: open %d", n, err);
		odb_close(db);
	}
}

/* A writer that is killed while it creates the file leaves zeros, of any length [SF-16]. */
TEST(zeros_are_an_unfinished_file)
{
	static const unsigned char zeros[HEADER + 32 + 128 * 20];

	tmpdir_make();
	for (size_t n = 0; n <= sizeof(zeros); n += 111) {
		struct op_error e = { "" };
		struct odb_snapshot s;
		struct odb *db = NULL;
		char *path = tmpdir_path("zeros");
		int err;

		put_file(path, zeros, n);
		err = odb_read(path, HEADER, &s, &e);
		CHECK(err == -ENODATA, "%zu zeros: %d %s", n, err, e.text);
		err = odb_open(path, HEADER, &db, &e);
		CHECK(!err && odb_is_new(db), "%zu zeros: %d %s", n, err, e.text);
		odb_close(db);
		CHECK(!odb_check(path, HEADER, &e), "%zu zeros: %s", n, e.text);
	}
}

/* A writer that is killed while it grows the file leaves a file longer than its table [SF-17]. */
TEST(longer_than_the_table)
{
	static const size_t extra[] = { 1, 4096, SLOTS * 20, 5000000 };

	make_good();
	for (size_t i = 0; i < ARRAY_SIZE(extra); i++) {
		struct odb_snapshot s;
		struct op_error e = { "" };
		struct odb *db = NULL;
		char *path = tmpdir_path("long");

		put_file(path, good, LENGTH);
		CHECK(!truncate(path, (off_t)(LENGTH + extra[i])), "truncate");
		CHECK(!odb_read(path, HEADER, &s, &e), "read: %s", e.text);
		CHECK(s.nr_nodes == 200, "%u nodes", s.nr_nodes);
		odb_snapshot_free(&s);
		CHECK(odb_check(path, HEADER, NULL) == -EPROTO, "check");
		CHECK(!odb_open(path, HEADER, &db, &e), "open: %s", e.text);
		odb_close(db);
		CHECK(!odb_check(path, HEADER, &e), "repaired: %s", e.text);
		add_to(path, "longer");
	}
}

/* A huge sparse file does not make the reader allocate what it claims. */
TEST(sparse_giant)
{
	uint32_t descr[2] = { 1u << 30, 1u << 30 };
	struct odb_snapshot s;
	struct op_error e = { "" };
	struct odb *db = NULL;
	char *path;
	int err;
	FILE *f;

	make_good();
	path = tmpdir_path("giant");
	put_file(path, good, LENGTH);
	f = fopen(path, "r+");
	fseek(f, SIZE_AT, SEEK_SET);
	fwrite(descr, 8, 1, f);
	fclose(f);
	if (truncate(path, (off_t)odb_file_length(HEADER, 1u << 30)))
		SKIP("no large files here");
	err = odb_read(path, HEADER, &s, &e);
	CHECK(err == -EPROTO, "%d %s", err, e.text);
	CHECK(odb_open(path, HEADER, &db, &e) == -EPROTO, "open");
}

TEST(not_a_regular_file)
{
	struct odb_snapshot s;
	struct op_error e = { "" };
	struct odb *db = NULL;
	int err;

	make_good();
	CHECK(odb_open(tmpdir, HEADER, &db, &e) == -EISDIR, "%s", e.text);
	CHECK(odb_read(tmpdir, HEADER, &s, &e) == -EISDIR, "%s", e.text);
	CHECK(!mkfifo(tmpdir_path("fifo"), 0600), "mkfifo");
	CHECK(odb_open(tmpdir_path("fifo"), HEADER, &db, &e) == -EPROTO, "%s", e.text);
	err = odb_read(tmpdir_path("fifo"), HEADER, &s, &e);
	CHECK(err == -ESPIPE, "%d %s", err, e.text);
	CHECK(!symlink("good", tmpdir_path("link")), "symlink");
	CHECK(odb_open(tmpdir_path("link"), HEADER, &db, &e) == -ELOOP, "%s", e.text);
	CHECK(odb_read(tmpdir_path("none"), HEADER, &s, &e) == -ENOENT, "%s", e.text);
	CHECK(odb_open(tmpdir_path("no/dir"), HEADER, &db, &e) == -ENOENT, "%s", e.text);
}

/* With the other version's header size the table is invalid. */
TEST(wrong_header_size)
{
	struct odb_snapshot s;
	struct odb *db = NULL;

	make_good();
	CHECK(odb_read(tmpdir_path("good"), SAMPLE_HEADER_SIZE_099, &s, NULL) < 0, "read");
	CHECK(odb_open(tmpdir_path("good"), SAMPLE_HEADER_SIZE_099, &db, NULL) < 0, "open");
}

TEST_MAIN()
