// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - reading 1 MiB of profile feedback or coverage takes at most 64 MB [XP-45]
 *
 * For each kind of record there is a file of 1 MiB, as text and as binary files of both byte orders
 * made from such a text. Coverage notes are such as no compiler would write. All files are valid,
 * so they are read to their end and checked.
 */
#include <stdint.h>
#include <sys/mman.h>

#include "feedback/gcov/cursor.h"
#include "feedback/gcov/xprof.h"
#include "feedback/llvm/profile.h"
#include "feedback/xprof/file.h"
#include "tests/unit/reader_size.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define FILE_SIZE	(1 << 20)

static char bytes[FILE_SIZE + 200];
static size_t nr_bytes;

/* The reader's process ends without writing what it has printed. */
static bool is_read(int err, const struct op_error *e)
{
	if (err)
		printf("# %s\n", e->text);
	fflush(stdout);
	return !err;
}

/* @start, then @repeated many times. % stands for the number of the repetition, # for the total. */
struct text {
	const char *what, *start, *repeated;
};

#define HEAD	"PROFILE-FEEDBACK-DATA: 4.4 "

static const struct text texts[] = {
	{ "objects", HEAD "# 0 0 0\n", "OBJFILE: % 0 0 0 0 0x0 0\n" },
	{ "procedures", HEAD "1 0 0 0\nOBJFILE: a # 0 0 0 0x0 0\n",
	  "PROC: % 0x0 0 0 0 % 0 0 0\n" },
	{ "counters", HEAD "1 0 0 0\nOBJFILE: a 1 0 0 0 0x0 0\nPROC: a 0x0 # 0 0 1 0 0 0\n",
	  "% 1\n" },
	{ "values", HEAD "1 0 0 0\nOBJFILE: a 1 0 0 1 0x0 0\nPROC: a 0x0 0 # # 1 0 0 0\n",
	  "VP_INT % 1 1\n" },
	{ "called", HEAD "1 0 # 0\nOBJFILE: a 1 0 0 1 0x0 0\nPROC: a 0x0 0 # # 1 0 0 0\n",
	  "VP_PROC % 1 %:a\n" },
	{ "blocks", HEAD "1 0 0 0\nOBJFILE: a 1 0 0 0 0x0 0\nPROC: a 0x0 0 0 0 1 # 0 0\n",
	  "B%: 0\n" },
	{ "edges", HEAD "1 0 0 0\nOBJFILE: a 1 0 0 0 0x0 0\nPROC: a 0x0 0 0 0 1 1 # 0\nB1: 0\n",
	  "E% 0 B1 B1\n" },
	{ "tuples", HEAD "1 0 0 0\nOBJFILE: a 1 0 0 0 0x0 #\nPROC: a 0x0 0 0 0 1 1 0 #\nB1: 0\n",
	  "S%: B1 1 %\n" },
	{ "programs", HEAD "0 # 0 0\n", "PROGRAM: % 0 0\n" },
	{ "comdats", HEAD "1 1 0 0\nOBJFILE: a 0 0 0 0 0x0 0\nPROGRAM: p 0 #\n",
	  "COMDAT_PROC: %:b\n" },
	{ "sources", HEAD "0 0 0 #\n", "SRCFILE: % 0\n" },
	{ "lines", HEAD "0 0 0 1\nSRCFILE: a #\n", "SRCLINE: % 1\nB1 1 a:a\n" },
	{ "lines' blocks", HEAD "0 0 0 1\nSRCFILE: a 1\nSRCLINE: 1 #\n", "B% 1 a:a\n" },
};

static void put_text(const char *text, size_t n, size_t nr)
{
	for (; *text; text++)
		if (*text == '%' || *text == '#')
			nr_bytes += (size_t)sprintf(bytes + nr_bytes, "%zu",
						    *text == '%' ? n : nr);
		else
			bytes[nr_bytes++] = *text;
}

/* The total is known after writing the text once. */
static void make_text(const struct text *t, size_t limit)
{
	size_t nr = 0;

	nr_bytes = 0;
	put_text(t->start, 0, 0);
	while (nr_bytes < limit - 50)
		put_text(t->repeated, ++nr, 0);
	nr_bytes = 0;
	put_text(t->start, 0, nr);
	for (size_t n = 1; n <= nr; n++)
		put_text(t->repeated, n, nr);
}

static const struct xprof_options options = { 0 };

static bool read_text(const void *what)
{
	struct op_error e = { "" };
	struct xprof *x;
	int err = xprof_text_read(((const struct text *)what)->what, bytes, nr_bytes, &options, &x,
				  &e);

	return is_read(err, &e);
}

TEST(text)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		make_text(&texts[i], FILE_SIZE);
		CHECK(check_reader_size(read_text, &texts[i], texts[i].what), "%s: refused",
		      texts[i].what);
	}
}

/* A binary file made from bytes, by another process, so that its memory use does not count. */
struct binary {
	int fd;
	bool swapped;
};

static bool write_binary(const void *what)
{
	const struct binary *b = what;
	struct strbuf out = STRBUF_INIT;
	struct op_error e = { "" };
	struct xprof *x;

	if (xprof_text_read("text", bytes, nr_bytes, &options, &x, &e))
		return false;
	xprof_file_encode(x, b->swapped, &out);
	return !ftruncate(b->fd, 0) &&
	       pwrite(b->fd, out.text, out.len, 0) == (ssize_t)out.len;
}

static bool read_binary(const void *what)
{
	const struct binary *b = what;
	struct op_error e = { "" };
	struct xprof *x;
	char path[50];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->fd);
	err = xprof_file_read(path, &options, &x, &e);
	return is_read(err, &e);
}

/* If the file is larger than its text, it is made again from a shorter one. */
static bool make_binary(const struct text *t, const struct binary *b)
{
	bool is_written = false;
	off_t size;

	make_text(t, FILE_SIZE);
	reader_size(write_binary, b, &is_written);
	size = lseek(b->fd, 0, SEEK_END);
	if (!is_written || size <= FILE_SIZE)
		return is_written;
	make_text(t, (size_t)((double)FILE_SIZE * FILE_SIZE / (double)size));
	reader_size(write_binary, b, &is_written);
	return is_written;
}

TEST(binary)
{
	struct binary b = { .fd = memfd_create("xprof", MFD_CLOEXEC) };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(texts); i++) {
		const struct text *t = &texts[i / 2];

		b.swapped = i % 2;
		CHECK(make_binary(t, &b), "%s: not made", t->what);
		CHECK(check_reader_size(read_binary, &b, t->what), "%s: refused", t->what);
	}
	close(b.fd);
}

/* --- LLVM's text --- */

static const struct text llvm_texts[] = {
	{ "functions of LLVM", "", "f\n%\n0\n" },
	{ "counters of LLVM", "f\n1\n#\n", "1\n" },
	{ "values of LLVM", "f\n1\n0\n1\n1\n1\n1\n", "1:1\n" },
	{ "empty sites of LLVM", "f\n1\n0\n1\n0\n#\n", "0\n" },
};

static bool read_llvm(const void *what)
{
	struct op_error e = { "" };
	int err = llvm_profile_read(((const struct text *)what)->what, bytes, nr_bytes,
				    xprof_new(XPROF_FEEDBACK), &e);

	return is_read(err, &e);
}

/* Sites without values are refused if the text is hardly anything else. */
TEST(llvm)
{
	for (size_t i = 0; i < ARRAY_SIZE(llvm_texts); i++) {
		make_text(&llvm_texts[i], FILE_SIZE);
		CHECK(check_reader_size(read_llvm, &llvm_texts[i], llvm_texts[i].what) == (i < 2),
		      "%s", llvm_texts[i].what);
	}
}

/* --- lcov's text --- */

static const struct text lcov_texts[] = {
	{ "lines of lcov", "SF:a\n", "DA:%,1\n" },
	{ "functions of lcov", "SF:a\nDA:1,1\n", "FN:1,%\n" },
	{ "sources of lcov", "", "SF:%\nDA:1,1\nend_of_record\n" },
};

static bool read_lcov(const void *what)
{
	const struct text *t = what;
	struct op_error e = { "" };
	int err;

	if (*t->start)
		nr_bytes += (size_t)sprintf(bytes + nr_bytes, "end_of_record\n");
	err = lcov_read(t->what, bytes, nr_bytes, xprof_new(XPROF_TCOVSD), &e);
	return is_read(err, &e);
}

TEST(lcov)
{
	for (size_t i = 0; i < ARRAY_SIZE(lcov_texts); i++) {
		make_text(&lcov_texts[i], FILE_SIZE);
		CHECK(check_reader_size(read_lcov, &lcov_texts[i], lcov_texts[i].what), "%s",
		      lcov_texts[i].what);
	}
}

/* --- coverage: words --- */

enum { NOTES_MAGIC = 0x67636e6f, DATA_MAGIC = 0x67636461, GCC_12 = 'B' << 24 | '2' << 16 };
enum { NAME = 'a' | 'b' << 8 | 'c' << 16 };	/* four bytes with the NUL */

static void put_word(uint32_t word)
{
	memcpy(bytes + nr_bytes, &word, sizeof(word));
	nr_bytes += sizeof(word);
}

static void put_words(const uint32_t *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_word(words[i]);
}

static void put_function(uint32_t ident)
{
	put_words((uint32_t[]){ GCOV_FUNCTION, 24, ident, 0, 0, 4, NAME, 0 }, 8);
}

/* The header, and a function with @nr_blocks. */
static void put_notes_head(uint32_t nr_blocks)
{
	nr_bytes = 0;
	put_words((uint32_t[]){ NOTES_MAGIC, GCC_12, 1, 0, 0, 0 }, 6);
	put_function(0);
	put_words((uint32_t[]){ GCOV_BLOCKS, 4, nr_blocks }, 3);
}

/* Set the length of the record that starts at @at. */
static void end_record(size_t at)
{
	uint32_t length = (uint32_t)(nr_bytes - at - 8);

	memcpy(bytes + at + 4, &length, sizeof(length));
}

static uint32_t data[20];	/* nr_data words; 0: without data */
static size_t nr_data;

static bool read_coverage(const void *what)
{
	char *notes = malloc(nr_bytes);
	struct op_error e = { "" };
	struct gcov_notes n;
	int err;

	memcpy(notes, bytes, nr_bytes);
	err = gcov_notes_read(notes, nr_bytes, &n, &e);
	if (!err && nr_data)
		err = gcov_data_read((char *)data, nr_data * sizeof(data[0]), &n, &e);
	if (!err)
		err = gcov_add_object(xprof_new(XPROF_FEEDBACK), &n, "/a.o", 0, 0, NULL, &e);
	(void)what;
	return is_read(err, &e);
}

TEST(functions)
{
	put_notes_head(1);
	for (uint32_t ident = 1; nr_bytes < FILE_SIZE; ident++)
		put_function(ident);
	CHECK(check_reader_size(read_coverage, "functions", "functions"), "refused");
}

TEST(blocks)
{
	put_notes_head(FILE_SIZE / 4);
	while (nr_bytes < FILE_SIZE)
		put_words((uint32_t[]){ 1, 0 }, 2);	/* an unknown record */
	CHECK(check_reader_size(read_coverage, "blocks", "blocks"), "refused");
}

/* Without data, and with data that declares in a few bytes that all counters are 0. */
TEST(arcs)
{
	static const uint32_t head[] = { DATA_MAGIC, GCC_12, 1, 0, GCOV_FUNCTION, 12, 0, 0, 0,
					 GCOV_ARC_COUNTERS };
	uint32_t nr = 0;
	size_t at;

	put_notes_head(1);
	at = nr_bytes;
	put_words((uint32_t[]){ GCOV_ARCS, 0, 0 }, 3);
	for (; nr_bytes < FILE_SIZE; nr++)
		put_words((uint32_t[]){ 0, 0 }, 2);
	end_record(at);
	CHECK(check_reader_size(read_coverage, "arcs", "arcs"), "refused");
	memcpy(data, head, sizeof(head));
	data[10] = -8 * nr;
	nr_data = 11;
	CHECK(check_reader_size(read_coverage, "counted arcs", "counted arcs"), "refused");
}

/* Few bytes that declare many values, and lists that do not fill their record. */
TEST(values)
{
	static const uint32_t head[] = { DATA_MAGIC, GCC_12, 1, 0, GCOV_FUNCTION, 12, 0, 0, 0 };
	static const struct {
		uint32_t tag, words[9];
		bool accepted;
	} cases[] = {
		{ 0x01af0000, { -8 * 100 }, true },
		{ 0x01af0000, { -8 * 100000000 }, false },
		{ 0x01a70000, { -16 * 100000000 }, false },
		{ 0x01a70000, { 16, 5, 0, 0, 0 }, true },
		{ 0x01a70000, { 8, 5, 0 }, false },
		{ 0x01a70000, { 16, 5, 0, 1, 0 }, false },
		{ 0x01a90000, { 32, 5, 0, 1, 0, 77, 0, 5, 0 }, true },
		{ 0x01a90000, { 32, 5, 0, UINT32_MAX, UINT32_MAX, 77, 0, 5, 0 }, false },
		{ 0x01a70000, { -8 * 3 }, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int32_t length = (int32_t)cases[i].words[0];
		bool accepted = false;

		put_notes_head(1);
		put_words((uint32_t[]){ GCOV_LINES, 12 + 4 * 500, 0 }, 3);
		for (int k = 0; k < 502; k++)
			put_word(0);
		memcpy(data, head, sizeof(head));
		data[9] = cases[i].tag;
		memcpy(data + 10, cases[i].words, sizeof(cases[i].words));
		nr_data = 11 + (length > 0 ? (size_t)length / 4 : 0);
		reader_size(read_coverage, "values", &accepted);
		CHECK(accepted == cases[i].accepted, "case %zu", i);
	}
	nr_data = 0;
}

TEST(lines)
{
	size_t at;

	put_notes_head(1);
	at = nr_bytes;
	put_words((uint32_t[]){ GCOV_LINES, 0, 0, 0, 4, NAME }, 6);
	for (uint32_t line = 1; nr_bytes < FILE_SIZE; line++)
		put_word(line);
	put_words((uint32_t[]){ 0, 0 }, 2);
	end_record(at);
	CHECK(check_reader_size(read_coverage, "lines", "lines"), "refused");
}

TEST_MAIN()
