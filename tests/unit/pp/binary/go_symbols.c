/* SPDX-License-Identifier: GPL-2.0-or-later */
/* go_symbols.c - tables of Go's functions of each version, word size and byte order */
#include <stdlib.h>

#include "pp/binary/binary.h"
#include "tests/go_elf.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

/* A table, which is written with the file's own numbers. */
struct table {
	struct go_elf numbers;
	uint32_t magic;
	unsigned int field;		/* bytes of an address in the list */
};

static const struct {
	const char *name;
	uint32_t magic;
} versions[] = {
	{ "1.2", 0xfffffffb }, { "1.16", 0xfffffffa }, { "1.18", 0xfffffff0 },
	{ "1.20", 0xfffffff1 },
};

#define NAMES "\0main.main\0main.work\0runtime.goexit"
static const struct {
	uint64_t start;
	uint32_t name;
} functions[] = { { 0, 1 }, { 0x40, 11 }, { 0x80, 21 }, { 0xf0, 0 } };
#define NR 3

static bool is_old(const struct table *t)
{
	return t->magic == versions[0].magic;
}

static void put_field(struct table *t, uint64_t value)
{
	go_elf_put(&t->numbers, value, t->field);
}

static bool has_text_offsets(const struct table *t)
{
	return t->magic == versions[2].magic || t->magic == versions[3].magic;
}

static void put_address(struct table *t, size_t i)
{
	put_field(t, functions[i].start + (has_text_offsets(t) ? 0 : GO_TEXT));
}

/* The header: from 1.16 on it has the offsets of the parts. */
static void put_header(struct table *t, uint64_t nr, uint64_t names, uint64_t list)
{
	struct go_elf *g = &t->numbers;

	g->len = 0;
	go_elf_put(g, t->magic, 4);
	go_elf_put(g, 0, 2);
	go_elf_put(g, 1, 1);
	go_elf_put(g, g->is_64 ? 8 : 4, 1);
	go_elf_word(g, nr);
	if (is_old(t))
		return;
	go_elf_word(g, 0);		/* files */
	if (has_text_offsets(t))
		go_elf_word(g, GO_TEXT);
	go_elf_word(g, names);
	for (int i = 0; i < 3; i++)
		go_elf_word(g, 0);
	go_elf_word(g, list);
}

static void make_table(struct table *t, uint64_t nr)
{
	struct go_elf *g = &t->numbers;
	uint64_t list, names, records, base;

	t->field = has_text_offsets(t) || !g->is_64 ? 4 : 8;
	put_header(t, nr, 0, 0);
	names = g->len;
	list = names + (is_old(t) ? 0 : 64);
	records = list + (2 * NR + 1) * t->field;
	base = is_old(t) ? 0 : list;	/* records count from there */
	if (is_old(t))
		names = records + NR * (t->field + 4);
	put_header(t, nr, names, list);
	if (!is_old(t)) {
		memcpy(g->file + names, NAMES, sizeof(NAMES));
		g->len = list;
	}
	for (size_t i = 0; i < NR; i++) {
		put_address(t, i);
		put_field(t, records - base + i * (t->field + 4));
	}
	put_address(t, NR);
	for (size_t i = 0; i < NR; i++) {
		put_address(t, i);
		go_elf_put(g, functions[i].name + (is_old(t) ? names : 0), 4);
	}
	if (is_old(t)) {
		memcpy(g->file + names, NAMES, sizeof(NAMES));
		g->len = names + sizeof(NAMES);
	}
}

static int read_file(const struct go_elf *g, struct binary *ret)
{
	const struct binary_options how = { .functions = true, .root = "" };
	const char *path;
	struct op_error e = { "" };
	int err;

	if (!tmpdir[0])
		tmpdir_make();
	path = tmpdir_path("go");
	CHECK(go_elf_write(g, path), "write");
	err = binary_open(path, &how, ret, &e);
	CHECK(!err, "%s", e.text);
	return err;
}

static void check_names(const struct binary *b, const char *what)
{
	CHECK(b->from == SYMBOLS_GO && b->nr_symbols == NR, "%s: %zu symbols", what,
	      b->nr_symbols);
	for (size_t i = 0; i < b->nr_symbols && i < NR; i++) {
		const struct code_symbol *s = &b->symbols[i];

		CHECK(s->vma == GO_TEXT + functions[i].start &&
		      s->start == GO_PLACE + functions[i].start &&
		      s->end == GO_PLACE + functions[i + 1].start, "%s: bounds of %zu", what, i);
		CHECK(!strcmp(s->name, &NAMES[functions[i].name]), "%s: '%s'", what, s->name);
	}
}

TEST(versions)
{
	for (size_t i = 0; i < 16; i++) {
		struct table *t = calloc(1, sizeof(*t));
		struct go_elf *g = calloc(1, sizeof(*g));
		struct binary b;

		t->magic = versions[i % 4].magic;
		g->is_64 = t->numbers.is_64 = i & 4;
		g->is_big = t->numbers.is_big = i & 8;
		g->section = i & 4 ? ".gopclntab" : ".data.rel.ro.gopclntab";
		make_table(t, NR);
		go_elf_make(g, t->numbers.file, t->numbers.len);
		if (!read_file(g, &b)) {
			check_names(&b, versions[i % 4].name);
			binary_close(&b);
		}
		free(t);
		free(g);
	}
}

/* The system's linker puts the table into another section; it is looked for in Go programs only. */
TEST(somewhere_in_a_section)
{
	struct table *t = calloc(1, sizeof(*t));
	struct go_elf *g = calloc(1, sizeof(*g));
	unsigned char section[4096] = { 0xf1, 0xff, 0xff, 0xff, 1 };	/* no header */
	struct binary b;

	t->magic = versions[3].magic;
	g->is_64 = t->numbers.is_64 = true;
	g->section = ".data.rel.ro";
	make_table(t, NR);
	memcpy(section + 64, t->numbers.file, t->numbers.len);
	go_elf_make(g, section, 64 + t->numbers.len);
	if (!read_file(g, &b)) {
		CHECK(!b.nr_symbols, "not looked for");
		binary_close(&b);
	}
	g->is_marked = true;
	go_elf_make(g, section, 64 + t->numbers.len);
	if (!read_file(g, &b)) {
		check_names(&b, "in .data.rel.ro");
		binary_close(&b);
	}
	free(t);
	free(g);
}

/* Whatever the length of the table and the number of functions: only what is there is read. */
TEST(truncated)
{
	for (size_t version = 0; version < 8; version++) {
		uint64_t nr = version < 4 ? NR : UINT64_MAX;
		struct table *t = calloc(1, sizeof(*t));
		struct go_elf *g = calloc(1, sizeof(*g));

		t->magic = versions[version % 4].magic;
		g->is_64 = t->numbers.is_64 = true;
		g->section = ".gopclntab";
		make_table(t, nr);
		for (size_t len = 1; len <= t->numbers.len; len++) {
			struct binary b;

			go_elf_make(g, t->numbers.file, len);
			if (read_file(g, &b))
				continue;
			CHECK(nr > NR || b.nr_symbols <= NR, "%zu bytes: %zu", len, b.nr_symbols);
			for (size_t i = 0; i < b.nr_symbols; i++)
				CHECK(strlen(b.symbols[i].name) < sizeof(NAMES), "name");
			CHECK(len < t->numbers.len || b.nr_symbols >= NR, "%s: all of them",
			      versions[version % 4].name);
			binary_close(&b);
		}
		free(t);
		free(g);
	}
}

/* A name past the end: that function is skipped. */
TEST(bad_name)
{
	struct table *t = calloc(1, sizeof(*t));
	struct go_elf *g = calloc(1, sizeof(*g));
	struct binary b;

	t->magic = versions[2].magic;
	g->is_64 = t->numbers.is_64 = true;
	g->section = ".gopclntab";
	make_table(t, NR);
	memset(t->numbers.file + t->numbers.len - 12, 0xff, 4);	/* the second one's */
	go_elf_make(g, t->numbers.file, t->numbers.len);
	if (!read_file(g, &b)) {
		CHECK(b.nr_symbols == NR - 1 && !strcmp(b.symbols[1].name, "runtime.goexit"),
		      "the others remain: %zu", b.nr_symbols);
		binary_close(&b);
	}
	free(t);
	free(g);
}

TEST_MAIN()
