// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_symbols.c - kallsyms to snapshot and back */
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include "libdb/session/kernel_symbols.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000300 t second\n"
	"ffffffff81000200 W first\n"
	"ffffffff81e00000 T _etext\n"
	"ffffffff82000000 D some_data\n"
	"ffffffffc0001010 t late\t[modb]\n"
	"ffffffffc0001000 T early\t[modb]\n"
	"ffffffffc0001008 d data\t[modb]\n"
	"ffffffffc0009000 t init_part\t[modb]\n"
	"ffffffffc0100004 t only\t[moda]\n"
	"ffffffffc0200000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
	"ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n";

static const char modules[] =
	"moda 16384 0 - Live 0xffffffffc0100000\n"
	"modb 8192 1 moda, Live 0xffffffffc0001000 (OE)\n"
	"empty 4096 0 - Live 0xffffffffc0300000\n";

/* Into the file "snapshot". */
static int capture_from(const char *symbols, const char *mods, struct op_error *e)
{
	char *text = NULL;
	size_t len = 0;
	int err = kernel_symbols_capture(symbols, mods, &text, &len, e);

	CHECK(err ? !text : strlen(text) == len, "%s of %zu bytes", text ? "text" : "none", len);
	if (!err)
		put_text(tmpdir_path("snapshot"), text);
	free(text);
	return err;
}

static int capture(const char *symbols, const char *mods, struct op_error *e)
{
	put_text(tmpdir_path("kallsyms"), symbols);
	if (mods)
		put_text(tmpdir_path("modules"), mods);
	return capture_from(tmpdir_path("kallsyms"), tmpdir_path("modules"), e);
}

static const struct {
	const char *part, *name;
	uint64_t address;
	char type;
} wanted[] = {
	{ "", "_stext", 0xffffffff81000000, 'T' },
	{ "", "_text", 0xffffffff81000000, 'T' },
	{ "", "first", 0xffffffff81000200, 'W' },
	{ "", "second", 0xffffffff81000300, 't' },
	{ "", "_etext", 0xffffffff81e00000, 'T' },
	{ "", "ftrace_trampoline", 0xffffffffc0201000, 't' },
	{ "moda", "only", 4, 't' },
	{ "modb", "early", 0, 'T' },
	{ "modb", "late", 0x10, 't' },
	{ "bpf_prog_6deef7357e7b4530", "bpf_prog_6deef7357e7b4530", 0, 't' },
};

TEST(capture_and_read)
{
	struct kernel_symbols s;
	struct op_error e = { "" };
	const struct kernel_part *part;
	size_t n = 0;

	tmpdir_make();
	CHECK(!capture(kallsyms, modules, &e), "%s", e.text);
	CHECK(!kernel_symbols_read(tmpdir_path("snapshot"), &s, &e), "%s", e.text);
	CHECK(s.nr_parts == 5, "%zu parts", s.nr_parts);
	CHECK(s.parts[0].start == 0xffffffff81000000 && s.parts[0].end == 0xffffffff81e00000,
	      "%llx-%llx", (unsigned long long)s.parts[0].start,
	      (unsigned long long)s.parts[0].end);
	for (size_t p = 0; p < s.nr_parts; p++)
		for (size_t i = 0; i < s.parts[p].nr_symbols; i++, n++) {
			const struct kernel_symbol *got = &s.parts[p].symbols[i];

			if (n >= ARRAY_SIZE(wanted))
				continue;
			CHECK(!strcmp(s.parts[p].name, wanted[n].part) &&
			      !strcmp(got->name, wanted[n].name) &&
			      got->address == wanted[n].address && got->type == wanted[n].type,
			      "symbol %zu is %s %s", n, s.parts[p].name, got->name);
		}
	CHECK(n == ARRAY_SIZE(wanted), "%zu symbols", n);
	part = kernel_symbols_part(&s, "modb");
	CHECK(part && part->start == 0xffffffffc0001000 && part->end == 0xffffffffc0003000, "modb");
	CHECK(kernel_symbols_part(&s, "empty")->nr_symbols == 0, "empty");
	CHECK(!kernel_symbols_part(&s, "nosuch"), "nosuch");
	kernel_symbols_free(&s);
}

TEST(hidden_addresses)
{
	struct op_error e = { "" };

	tmpdir_make();
	CHECK(capture("0000000000000000 T _text\n0000000000000000 t a\n", modules, &e) == -EACCES &&
	      strstr(e.text, "kptr_restrict"), "%s", e.text);
	CHECK(!file_exists(tmpdir_path("snapshot")), "nothing written");
	CHECK(capture("", modules, &e) == -EACCES, "no symbols at all");
}

TEST(without_modules_and_range)
{
	struct kernel_symbols s;
	struct op_error e = { "" };

	tmpdir_make();
	CHECK(!capture("1000 T a\n2000 T b\n", NULL, &e), "%s", e.text);
	CHECK(!kernel_symbols_read(tmpdir_path("snapshot"), &s, &e), "%s", e.text);
	CHECK(s.nr_parts == 1 && s.parts[0].start == 0x1000 && s.parts[0].end == 0x2001, "range");
	kernel_symbols_free(&s);
}

TEST(malformed_kallsyms)
{
	static const char *const bad[] = {
		"x T a\n", "1000\n", "1000 T\n", "1000 TT a\n", "1000 T a [m\n", "1000 T a m]\n",
		"1000 T a []\n", "10000000000000000 T a\n",
	};
	struct op_error e = { "" };

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(capture(bad[i], modules, &e) == -EPROTO && strstr(e.text, ":1: "), "%s: %s",
		      bad[i], e.text);
	CHECK(capture(kallsyms, "moda x\n", &e) == -EPROTO && strstr(e.text, "modules:1: "), "%s",
	      e.text);
	CHECK(capture(kallsyms, "moda 99999999 0 - Live 0xfffffffffff00000\n", &e) == -EPROTO &&
	      strstr(e.text, "out of range"), "%s", e.text);
	CHECK(capture(kallsyms, "moda 5 0 - Live ff\n", &e) == -EPROTO, "%s", e.text);
}

TEST(snapshot_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "1000 T a\n", ":1: symbol before" },
		{ "# kernel 1 2\n1000 T a", ":2: the last line is truncated" },
		{ "# kernel 2 1\n", ":1: the kernel's end is below" },
		{ "# kernel 1 2\n# kernel 1 2\n", ":2: '# kernel' is not" },
		{ "# kernel 1\n", ":1: expected a name and two hex" },
		{ "# kernel 1 2 3\n", ":1: expected a name and two hex" },
		{ "# kernel x 2\n", ":1: expected a name and two hex" },
		{ "# module a 1\n", ":1: expected a name and two hex" },
		{ "# module a ffffffffffffffff 2\n", ":1: module size is out of range" },
		{ "# module a 1 ffffffffffffffff\n", ":1: module size is out of range" },
		{ "# modules a 1 2\n", ":1: expected '# kernel'" },
		{ "# module a 1000 10\n10 t f\n", ":2: symbol address is past" },
		{ "# kernel 1 2\n1 D f\n", ":2: expected 'address type name'" },
		{ "# kernel 1 2\n1 t f g\n", ":2: expected one name" },
		{ "# kernel 1 2\n1 t \n", ":2: expected one name" },
		{ "# kernel 1 2\n1 t\n", ":2: expected one name" },
		{ "# kernel 1 2\n\n", ":2: expected 'address type name'" },
	};
	struct kernel_symbols s = { .nr_parts = 77 };
	struct op_error e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(kernel_symbols_parse(rows[i].text, strlen(rows[i].text), "f", &s, &e) ==
		      -EPROTO && strstr(e.text, rows[i].says) && s.nr_parts == 77, "'%s': %s",
		      rows[i].text, e.text);
	CHECK(!kernel_symbols_parse("", 0, "f", &s, &e) && s.nr_parts == 0, "empty");
	kernel_symbols_free(&s);
}

TEST(loaded_twice)
{
	static const char text[] = "# module a 1000 10\n1 t old\n# module a 2000 10\n1 t new\n";
	struct kernel_symbols s;

	CHECK(!kernel_symbols_parse(text, strlen(text), "f", &s, NULL), "parse");
	CHECK(kernel_symbols_part(&s, "a")->start == 0x2000, "the last one holds");
	kernel_symbols_free(&s);
}

/* A large kernel: 200,000 symbols in well under a second. */
TEST(large)
{
	struct kernel_symbols s;
	struct op_error e = { "" };
	clock_t start;
	FILE *f;

	tmpdir_make();
	f = fopen(tmpdir_path("kallsyms"), "w");
	for (int i = 0; i < 200000; i++)
		fprintf(f, "%016llx t some_function_of_the_kernel_%d\n",
			0xffffffff81000000ull + (unsigned)i * 64, i);
	fclose(f);
	start = clock();
	CHECK(!capture_from(tmpdir_path("kallsyms"), tmpdir_path("none"), &e), "%s", e.text);
	CHECK(!kernel_symbols_read(tmpdir_path("snapshot"), &s, &e), "%s", e.text);
	CHECK(s.parts[0].nr_symbols == 200000, "%zu", s.parts[0].nr_symbols);
	CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 5, "slow");
	kernel_symbols_free(&s);
}

TEST(this_kernel)
{
	struct kernel_symbols s;
	struct op_error e = { "" };
	int err;

	tmpdir_make();
	err = capture_from("/proc/kallsyms", "/proc/modules", &e);
	if (err)
		SKIP(e.text);
	CHECK(!kernel_symbols_read(tmpdir_path("snapshot"), &s, &e), "%s", e.text);
	CHECK(s.nr_parts && s.parts[0].nr_symbols > 1000, "too few symbols");
	kernel_symbols_free(&s);
}

TEST_MAIN()
