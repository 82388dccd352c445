// SPDX-License-Identifier: GPL-2.0-or-later
/* object.c - objects of JIT code, read back with pp/binary */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/jit/object.h"
#include "pp/binary/binary.h"
#include "pp/binary/line/binary.h"
#include "tests/tap.h"
#include "tests/unit/daemon/jit/test.h"
#include "tests/unit/tmpdir.h"

static void add(struct jit_layout *l, uint64_t start, uint64_t end, const char *name,
		const char *code)
{
	l->symbols = realloc(l->symbols, (l->nr + 1) * sizeof(*l->symbols));
	l->symbols[l->nr++] = (struct jit_symbol){
		.start = start, .end = end, .name = l->names.len,
		.code = (const unsigned char *)code,
	};
	strbuf_add_bytes(&l->names, name, strlen(name) + 1);
}

static const char *write_object(const struct jit_layout *l)
{
	const char *path = tmpdir_path("x.jo");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err;

	err = jit_object_write(fd, l, 0);
	CHECK(!err, "write: %d", err);
	close(fd);
	return path;
}

static void read_object(const char *path, struct binary *b)
{
	struct binary_options options = { .root = "", .by_address = true };
	struct op_error e = { "" };

	CHECK(!binary_open(path, &options, b, &e), "%s", e.text);
}

TEST(read_back)
{
	struct jit_layout l = { .names = STRBUF_INIT };
	struct binary b;

	tmpdir_make();
	add(&l, 0x7f0000001000, 0x7f0000001010, "first", "0123456789abcdef");
	add(&l, 0x7f0000001020, 0x7f0000001024, "second", "CODE");
	add(&l, 0x7f0000003000, 0x7f0000003004, "third", "MORE");
	add(&l, 0x7f0000003004, 0x7ff000003004, "huge, told by its name only", NULL);
	read_object(write_object(&l), &b);
	CHECK(b.nr_symbols == 4 && b.nr_sections == 3, "%zu in %zu", b.nr_symbols, b.nr_sections);
	for (size_t i = 0; i < b.nr_symbols; i++)
		CHECK(b.symbols[i].start == l.symbols[i].start &&
		      b.symbols[i].end == l.symbols[i].end &&
		      !strcmp(b.symbols[i].name, l.names.text + l.symbols[i].name),
		      "%zu: %s", i, b.symbols[i].name);
	binary_close(&b);
	free(l.symbols);
	strbuf_free(&l.names);
}

/* The code is at the sections' addresses. */
TEST(code_is_kept)
{
	struct jit_layout l = { .names = STRBUF_INIT };
	char command[5000], text[200] = "";
	FILE *p;

	tmpdir_make();
	add(&l, 0x1000, 0x1004, "a", "CODE");
	add(&l, 0x1006, 0x100a, "b", "MORE");
	snprintf(command, sizeof(command), "objcopy -O binary -j .text '%s' '%s'", write_object(&l),
		 tmpdir_path("code"));
	CHECK(!system(command), "objcopy takes it");
	p = fopen(tmpdir_path("code"), "r");
	CHECK(p && fread(text, 1, sizeof(text), p) == 10 && !memcmp(text, "CODE\0\0MORE", 10),
	      "'%s'", text);
	if (p)
		fclose(p);
	free(l.symbols);
	strbuf_free(&l.names);
}

static const struct {
	uint64_t place;
	const char *file;
	uint32_t line;
} places[] = {
	{ 0x1000, "a.js", 7 }, { 0x1003, "a.js", 7 }, { 0x1004, "b.js", 300 },
	{ 0x1008, "a.js", 2 }, { 0x100f, "a.js", 2 }, { 0x1010, NULL, 0 },
	{ 0x1ff8, NULL, 0 }, { 0x2000, "c.js", 5 }, { 0x2010, NULL, 0 }, { 0x3000, NULL, 0 },
	{ 0x4000, "d.js", 8 }, { 0x4007, "d.js", 8 }, { 0x4008, "d.js", 9 },
};

/* Lines of code, also if only a part of the code is left. */
TEST(lines)
{
	struct line_place got[ARRAY_SIZE(places)];
	uint64_t wanted[ARRAY_SIZE(places)];
	struct line_options options = { .root = "" };
	struct strbuf s = STRBUF_INIT;
	struct op_error e = { "" };
	struct line_binary *lines;
	struct jit_layout l;
	struct jit_code c;
	struct binary b;
	size_t at;

	tmpdir_make();
	dump_header(&s);
	dump_load(&s, 1, 0x1000, 16, "first", "0123456789abcdef");
	at = dump_lines(&s, 1, 0x1000, 3);
	dump_line(&s, 0x1000, 7, "a.js");
	dump_line(&s, 0x1004, 300, "b.js");
	dump_line(&s, 0x1008, 2, "a.js");
	dump_end(&s, at);
	dump_load(&s, 1, 0x1ff0, 32, "cut", NULL);
	at = dump_lines(&s, 1, 0x1ff0, 3);
	dump_line(&s, 0x1ff0, 4, "c.js");
	dump_line(&s, 0x1ff8, 5, "c.js");
	dump_line(&s, 0x5000, 6, "elsewhere");
	dump_end(&s, at);
	dump_load(&s, 2, 0x1ff0, 16, "over it", NULL);
	dump_load(&s, 3, 0x3000, 16, "none", NULL);
	at = dump_lines(&s, 3, 0x9999, 1);		/* of unknown code */
	dump_line(&s, 0x9999, 1, "x");
	dump_end(&s, at);
	dump_load(&s, 4, 0x4000, 16, "without a line at its entry", NULL);
	at = dump_lines(&s, 4, 0x4000, 2);
	dump_line(&s, 0x4004, 8, "d.js");
	dump_line(&s, 0x4008, 9, "d.js");
	dump_end(&s, at);
	jit_code_init(&c, NULL);
	c.window.by[JIT_WALL].end = UINT64_C(4000000000);
	CHECK(jit_read_dump(s.text, s.len, &c) && c.dropped == 1, "%zu dropped", c.dropped);
	jit_layout_make(&c, &l);
	read_object(write_object(&l), &b);
	CHECK(!line_binary_open(&b, tmpdir_path("x.jo"), &options, &lines, &e), "%s", e.text);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		wanted[i] = places[i].place;
	line_binary_find(lines, wanted, ARRAY_SIZE(places), got);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		CHECK(places[i].file ? got[i].file && !strcmp(got[i].file, places[i].file) &&
				       got[i].line == places[i].line : !got[i].file,
		      "%#lx: %s:%u", (long)places[i].place, got[i].file ? got[i].file : "nothing",
		      got[i].line);
	line_binary_close(lines);
	binary_close(&b);
	jit_layout_free(&l);
	jit_code_free(&c);
	strbuf_free(&s);
}

/* Maximally scattered blocks with a byte of code each: the file stays small and complete. */
TEST(too_many_sections)
{
	struct jit_layout l = { .names = STRBUF_INIT };
	const size_t nr = 100000;
	const char *path;
	struct binary b;
	struct stat st;

	tmpdir_make();
	l.symbols = calloc(nr, sizeof(*l.symbols));
	strbuf_add_bytes(&l.names, "x", 2);
	for (size_t i = 0; i < nr; i++)
		l.symbols[i] = (struct jit_symbol){
			.start = (i + 1) << 20, .end = ((i + 1) << 20) + 1,
			.code = (const unsigned char *)"c",
		};
	l.nr = nr;
	path = write_object(&l);
	CHECK(!stat(path, &st) && st.st_size < 10 << 20, "%lld bytes", (long long)st.st_size);
	read_object(path, &b);
	CHECK(b.nr_symbols == nr, "%zu", b.nr_symbols);
	binary_close(&b);
	free(l.symbols);
	strbuf_free(&l.names);
}

TEST_MAIN()
