// SPDX-License-Identifier: GPL-2.0-or-later
/* readers.c - perf maps, jitdumps, OProfile's dumps: what is read and what is dropped */
#include <elf.h>
#include <inttypes.h>
#include "libutil/opener/objects.h"
#include "runtime/runtime.h"
#include "tests/tap.h"
#include "tests/unit/daemon/jit/test.h"
#include "tests/unit/tmpdir.h"

/* "START+SIZE@BIRTH-DEATH NAME=CODE;" for each block, as far as known. */
static char *text_of(const struct jit_code *c)
{
	struct strbuf s = STRBUF_INIT;

	for (size_t i = 0; i < c->nr; i++) {
		const struct jit_block *b = &c->blocks[i];

		strbuf_addf(&s, "%" PRIx64 "+%" PRIx64, b->start, b->size);
		if (b->clock != JIT_NO_CLOCK)
			strbuf_addf(&s, "@%" PRIu64, b->birth);
		if (b->death != JIT_FOREVER)
			strbuf_addf(&s, "-%" PRIu64, b->death);
		strbuf_addf(&s, " %s", jit_name(c, b));
		if (b->code)
			strbuf_addf(&s, "=%.*s", (int)b->size, b->code);
		strbuf_add(&s, ";");
	}
	return strbuf_steal(&s);
}

typedef bool read_fn(const struct strbuf *s, struct jit_code *c);

static void expect(const struct strbuf *s, read_fn *read, const struct jit_window *window,
		   const char *want, size_t dropped)
{
	struct jit_code c;
	char *got;

	jit_code_init(&c, window);
	CHECK(read(s, &c), "'%s': is one", want);
	got = text_of(&c);
	CHECK(!strcmp(got, want), "want '%s', got '%s'", want, got);
	CHECK(c.dropped == dropped, "'%s': want %zu dropped, got %zu", want, dropped, c.dropped);
	free(got);
	jit_code_free(&c);
}

static const struct {
	const char *text, *want;
	size_t dropped;
} maps[] = {
	{ "1000 20 foo\n", "1000+20 foo;", 0 },
	{ "0x1000 0x20 foo bar (x.js:1)\n7f00aa 1 b\n", "1000+20 foo bar (x.js:1);7f00aa+1 b;", 0 },
	{ "1000 20 foo\r\n\n\n2000 1 g\n", "1000+20 foo;2000+1 g;", 0 },
	{ "1000 20 foo\n2000 20 ba", "1000+20 foo;", 0 },		/* being written */
	{ "1000 20 a\tb\033[31m\n", "1000+20 a?b?[31m;", 0 },
	{ "1000 0 zero\n1000 1 a\n", "1000+1 a;", 1 },
	{ "ffffffffffffffff 2 wraps\n1 1 a\n", "1+1 a;", 1 },
	{ "11112222333344445 1 long\n1 1 a\n", "1+1 a;", 1 },
	{ "1 1 a\nxyz\n1\n1 1\n1  \n 1 1 x\n1 1 \n-1 1 x\n", "1+1 a;", 7 },
};

static bool read_map(const struct strbuf *s, struct jit_code *c)
{
	return jit_read_perf_map(s->text, s->len, c);
}

TEST(perf_map)
{
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		struct strbuf s = STRBUF_INIT;

		strbuf_add(&s, maps[i].text);
		expect(&s, read_map, NULL, maps[i].want, maps[i].dropped);
		strbuf_free(&s);
	}
}

TEST(long_names_are_truncated)
{
	struct strbuf s = STRBUF_INIT;
	struct jit_code c;

	strbuf_add(&s, "1 1 ");
	for (size_t i = 0; i < 100000; i++)
		strbuf_add_char(&s, 'x');
	strbuf_add_char(&s, '\n');
	jit_code_init(&c, NULL);
	CHECK(read_map(&s, &c) && strlen(jit_name(&c, &c.blocks[0])) == JIT_NAME_MAX, "cut");
	jit_code_free(&c);
	strbuf_free(&s);
}

TEST(number_of_blocks_is_limited)
{
	struct strbuf s = STRBUF_INIT;
	struct jit_code c;

	for (size_t i = 0; i < JIT_BLOCKS_MAX + 5; i++)
		strbuf_add(&s, "1 1 x\n");
	jit_code_init(&c, NULL);
	CHECK(read_map(&s, &c) && c.nr == JIT_BLOCKS_MAX && c.dropped == 5, "%zu, %zu dropped",
	      c.nr, c.dropped);
	jit_code_free(&c);
	strbuf_free(&s);
}

static bool read_jitdump(const struct strbuf *s, struct jit_code *c)
{
	return jit_read_jitdump(s->text, s->len, c);
}

TEST(jitdump)
{
	struct strbuf s = STRBUF_INIT;
	struct jit_code c;

	jitdump_header(&s, 0);
	jitdump_load(&s, 10, 0x1000, 4, "a", "CODE");
	jitdump_load(&s, 11, 0x2000, 4, "b", NULL);
	jitdump_load(&s, 11, 0x2000, 0, "empty", NULL);
	jitdump_move(&s, 20, 0x1000, 0x3000, 4);
	jitdump_move(&s, 20, 0x7777, 0x8888, 4);	/* of unknown code */
	jitdump_move(&s, 30, 0x3000, 0x4000, 9);	/* larger than the code was */
	expect(&s, read_jitdump, NULL,
	       "1000+4@10-20 a=CODE;2000+4@11 b;3000+4@20-30 a=CODE;4000+9@30 a;", 2);
	jit_code_init(&c, NULL);
	CHECK(read_jitdump(&s, &c) && c.machine == EM_X86_64, "machine");
	jit_code_free(&c);
	strbuf_free(&s);
}

/* Wherever a file is truncated, complete records before that count. */
TEST(jitdump_truncated_anywhere)
{
	struct strbuf s = STRBUF_INIT;
	size_t first, whole;

	jitdump_header(&s, 0);
	jitdump_load(&s, 10, 0x1000, 4, "a", "CODE");
	first = s.len;
	jitdump_load(&s, 10, 0x2000, 4, "b", "CODE");
	whole = s.len;
	for (size_t len = 0; len <= whole; len++) {
		char *exact = malloc(len ? len : 1);
		struct jit_code c;

		memcpy(exact, s.text, len);
		jit_code_init(&c, NULL);
		CHECK(jit_read_jitdump(exact, len, &c) == (len >= 40), "%zu bytes", len);
		CHECK(c.nr == (size_t)(len >= first) + (len >= whole), "%zu bytes: %zu", len, c.nr);
		jit_code_free(&c);
		free(exact);
	}
	strbuf_free(&s);
}

TEST(jitdump_records_without_end)
{
	static const uint32_t sizes[] = { 0, 1, 15, 0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct strbuf s = STRBUF_INIT;
		size_t at;

		jitdump_header(&s, 0);
		jitdump_load(&s, 10, 0x1000, 4, "a", "CODE");
		at = s.len;
		jitdump_load(&s, 10, 0x2000, 4, "b", "CODE");
		set_u32(&s, at + 4, sizes[i]);
		expect(&s, read_jitdump, NULL, "1000+4@10 a=CODE;", sizes[i] < 16);
		strbuf_free(&s);
	}
}

TEST(times_in_the_future)
{
	struct jit_window window = { 0 };
	struct strbuf s = STRBUF_INIT, own = STRBUF_INIT;

	window.by[JIT_STEADY].end = 100;
	window.by[JIT_WALL].end = UINT64_C(5000000000);
	jitdump_header(&s, 0);
	jitdump_load(&s, 100, 0x1000, 4, "a", NULL);
	jitdump_load(&s, 101, 0x2000, 4, "b", NULL);
	expect(&s, read_jitdump, &window, "1000+4@100 a;", 1);
	jitdump_header(&own, 1);		/* the CPU's clock: not comparable */
	jitdump_load(&own, 1000, 0x1000, 4, "a", NULL);
	expect(&own, read_jitdump, &window, "1000+4@1000 a;", 0);
	strbuf_free(&s);
	strbuf_free(&own);
}

static bool read_dump(const struct strbuf *s, struct jit_code *c)
{
	return jit_read_dump(s->text, s->len, c);
}

TEST(dump)
{
	struct jit_window window = { 0 };
	struct strbuf s = STRBUF_INIT;

	dump_header(&s);
	dump_load(&s, 1, 0x1000, 4, "Main.run", "CODE");
	dump_load(&s, 2, 0x2000, 4, "none", NULL);
	dump_load(&s, 2, 0x2000, 0, "zero", NULL);
	dump_unload(&s, 3, 0x1000);
	dump_unload(&s, 4, 0x1000);		/* again, although it is gone */
	dump_unload(&s, 3, 0x9999);
	dump_load(&s, 8, 0x5000, 4, "future", NULL);
	dump_load(&s, UINT64_MAX, 0x5000, 4, "never", NULL);
	window.by[JIT_WALL].end = UINT64_C(5000000000);
	expect(&s, read_dump, &window, "1000+4@1000000000-3000000000 Main.run=CODE;"
	       "2000+4@2000000000 none;", 4);
	dump_end(&s, dump_begin(&s, JIT_DUMP_CLOSE, 4));
	dump_load(&s, 4, 0x6000, 4, "behind", NULL);
	expect(&s, read_dump, &window, "1000+4@1000000000-3000000000 Main.run=CODE;"
	       "2000+4@2000000000 none;", 4);
	strbuf_free(&s);
}

/* A code object of CPython 3.11. */
static void add_object(struct strbuf *s, uint64_t object, uint32_t instructions, const char *name,
		       uint32_t width, const char *lines)
{
	struct object_head h = {.object = object,
				.number = OP_RUNTIME_PYTHON_3_11,
				.instructions = instructions,
				.line = 10,
				.name_size = (uint32_t)strlen(name) / width * width,
				.file_size = 4,
				.lines_size = (uint32_t)strlen(lines),
				.name_width = width,
				.file_width = 1};

	strbuf_add_bytes(s, (const char *)&h, sizeof(h));
	strbuf_add_bytes(s, name, h.name_size);
	strbuf_add(s, "a.py");
	strbuf_add(s, lines);
}

static bool read_interpreted(const struct strbuf *s, struct jit_code *c)
{
	return jit_read_interpreted(s->text, s->len, c);
}

TEST(interpreted)
{
	/* one instruction: of no change; 2, one line on; 1, 3 back; 8, of no line */
	static const char lines[] = "\x80\x01\xd9\x01\x01\xe8\x07\xff";
	static const struct { uint64_t at; uint32_t line; } want[] = {
		{ 0x10000000b8, 10 }, { 0x10000000ba, 11 }, { 0x10000000be, 8 },
	};
	struct strbuf s = STRBUF_INIT;
	struct jit_code c;
	size_t len;

	add_object(&s, 0x1000000000, 12, "f\xe9\n", 1, lines);
	add_object(&s, 0x2000000000, 1, "\xac\x20gg", 2, "");
	expect(&s, read_interpreted, NULL, "1000000000+d0 f\xc3\xa9? (a.py:10);"
	       "2000000000+ba \xe2\x82\xac\xe6\x9d\xa7 (a.py:10);", 0);
	jit_code_init(&c, NULL);
	CHECK(read_interpreted(&s, &c) && c.nr_lines == 3 && c.blocks[0].nr_lines == 3, "lines");
	for (size_t i = 0; i < c.nr_lines; i++)
		CHECK(c.lines[i].address == want[i].at && c.lines[i].line == want[i].line,
		      "%" PRIx64 ": line %u", c.lines[i].address, c.lines[i].line);
	jit_code_free(&c);
	/* wherever it is truncated */
	len = s.len;
	while (len-- > 0) {
		jit_code_init(&c, NULL);
		CHECK(jit_read_interpreted(s.text, len, &c), "the last is being written");
		CHECK(c.nr <= 1, "%zu bytes", len);
		jit_code_free(&c);
	}
	jit_code_init(&c, NULL);
	s.text[offsetof(struct object_head, number)] = 77;
	CHECK(!read_interpreted(&s, &c) && !c.nr, "malformed");
	jit_code_free(&c);
	strbuf_free(&s);
}

/* An object of the runtime of that @number, whose first line is 10. */
static void add_object_of(struct strbuf *s, uint32_t number, uint64_t object,
			  uint32_t instructions, const void *lines, size_t lines_size)
{
	struct object_head h = {.object = object,
				.number = number,
				.instructions = instructions,
				.line = 10,
				.name_size = 1,
				.file_size = 1,
				.lines_size = (uint32_t)lines_size};

	strbuf_add_bytes(s, (const char *)&h, sizeof(h));
	strbuf_add(s, "fa");
	strbuf_add_bytes(s, lines, lines_size);
}

static void check_lines(const struct strbuf *s, const char *want)
{
	struct strbuf has = STRBUF_INIT;
	struct jit_code c;

	jit_code_init(&c, NULL);
	CHECK(read_interpreted(s, &c), "malformed");
	for (size_t i = 0; i < c.nr_lines; i++)
		strbuf_addf(&has, "%" PRIx64 ":%u ", c.lines[i].address, c.lines[i].line);
	CHECK(!strcmp(has.text ? has.text : "", want), "%s", has.text);
	jit_code_free(&c);
	strbuf_free(&has);
}

/* Lines 7, 9 and 11 begin with instructions 0, 2 and 56. */
TEST(lines_of_ruby)
{
	struct {
		uint32_t lines[3][3];
		uint32_t unused;
		uint64_t direct[6];
		uint64_t before, before_words, begins[8];
	} t = {.lines = {{7}, {9}, {11}}, .before = 2, .begins = {1 << 2}};
	struct strbuf s = STRBUF_INIT;
	char bytes[36 + 48 + 80];

	for (unsigned int i = 0; i < 54; i++)
		t.direct[i / 9] |= (i < 2 ? UINT64_C(1) : UINT64_C(2)) << i % 9 * 7;
	memcpy(bytes, t.lines, 36);
	memcpy(bytes + 36, t.direct, 48 + 80);
	add_object_of(&s, OP_RUNTIME_RUBY_3_1, 0x3000000000, 60, bytes, sizeof(bytes));
	expect(&s, read_interpreted, NULL, "3000000000+1e0 f (a:10);", 0);
	check_lines(&s, "3000000000:7 3000000010:9 30000001c0:11 ");
	s.len = 0;
	/* too short for its index */
	add_object_of(&s, OP_RUNTIME_RUBY_3_1, 0x3000000000, 60, bytes, 48 + 79);
	check_lines(&s, "");
	strbuf_free(&s);
}

TEST(lines_of_php)
{
	struct strbuf s = STRBUF_INIT;

	add_object_of(&s, OP_RUNTIME_PHP_8_2, 0x3000000000, 3, "", 0);
	expect(&s, read_interpreted, NULL, "3000000000+3 f (a:10);", 0);
	check_lines(&s, "3000000000:10 3000000001:11 3000000002:12 ");
	strbuf_free(&s);
}

TEST(no_files)
{
	static const char *const texts[] = { "", "x", "hello world\n",
		"DTiJ but nothing that would make a header of it, only text text text" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct jit_code c;

		jit_code_init(&c, NULL);
		CHECK(!jit_read_perf_map(texts[i], strlen(texts[i]), &c), "%zu", i);
		CHECK(!jit_read_jitdump(texts[i], strlen(texts[i]), &c), "%zu", i);
		CHECK(!jit_read_dump(texts[i], strlen(texts[i]), &c), "%zu", i);
		CHECK(!c.nr, "%zu", i);
		jit_code_free(&c);
	}
}

TEST_MAIN()
