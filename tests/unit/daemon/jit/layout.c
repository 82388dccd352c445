// SPDX-License-Identifier: GPL-2.0-or-later
/* layout.c - overlapping blocks: which one keeps each address, and under which name */
#include <inttypes.h>
#include <time.h>
#include "daemon/jit/deaths.h"
#include "daemon/jit/layout.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

/* Blocks are "NAME START END BIRTH DEATH", times of the steady clock; birth "-": no times. */
static void add_blocks(struct jit_code *c, const char *text)
{
	char name[20], birth[20], death[20];
	unsigned int start, end, number = 0;
	int used;

	for (; sscanf(text, " %19s %u %u %19s %19s%n", name, &start, &end, birth, death,
		      &used) == 5; text += used) {
		struct jit_block b = {
			.start = start, .size = end - start,
			.birth = birth[0] == '-' ? number++ : strtoul(birth, NULL, 10),
			.death = death[0] == '-' ? JIT_FOREVER : strtoul(death, NULL, 10),
			.clock = birth[0] == '-' ? JIT_NO_CLOCK : JIT_STEADY,
		};

		jit_code_add(c, &b, name, strlen(name));
	}
	CHECK(!*text, "not understood: '%s'", text);
}

static char *layout_text(const struct jit_layout *l)
{
	struct strbuf s = STRBUF_INIT;

	for (size_t i = 0; i < l->nr; i++)
		strbuf_addf(&s, "%s%" PRIu64 "-%" PRIu64 " %s", i ? ", " : "", l->symbols[i].start,
			    l->symbols[i].end, l->names.text + l->symbols[i].name);
	return strbuf_steal(&s);
}

static const struct {
	const char *blocks, *want;
} rows[] = {
	{ "", "" },
	{ "a 10 20 - -  b 20 30 - -", "10-20 a, 20-30 b" },
	{ "b 20 30 - -  a 10 20 - -", "10-20 a, 20-30 b" },
	/* without times: the newest [JT-31] */
	{ "old 10 20 - -  new 10 20 - -", "10-20 new" },
	{ "old 10 30 - -  new 20 40 - -", "10-20 old, 20-40 new" },
	{ "new 10 20 - -  later 0 100 - -", "0-100 later" },
	{ "old 0 100 - -  new 40 60 - -", "0-40 old, 40-60 new, 60-100 old" },
	{ "a 0 100 - -  b 40 60 - -  c 50 70 - -", "0-40 a, 40-50 b, 50-70 c, 70-100 a" },
	/* with times, in a session from 100 to 200: the longest life [JT-30] */
	{ "a 10 20 0 -  b 30 40 150 -", "10-20 a, 30-40 b" },
	{ "a 10 20 0 -  b 10 20 150 -", "10-20 b" },
	{ "a 10 20 0 -  b 10 20 180 -", "10-20 a" },
	{ "a 10 20 100 120  b 10 20 130 -", "10-20 b" },
	{ "a 10 40 100 -  b 20 30 190 -", "10-40 a" },
	{ "a 10 40 100 -  b 20 30 110 -", "10-20 a, 20-30 b, 30-40 a" },
	/* dead in one place means dead everywhere: c comes too late to end a's life */
	{ "a 10 40 100 -  b 20 30 160 -  c 30 40 190 -", "10-40 a" },
	/* dead before the session [JT-32] */
	{ "a 10 20 0 50  b 30 40 0 -", "30-40 b" },
	{ "a 10 20 0 -  b 10 20 50 -", "10-20 b" },
	/* those with times come first */
	{ "m 10 40 - -  a 20 30 100 -", "10-20 m, 20-30 a, 30-40 m" },
	/* several of one name [JT-34] */
	{ "f 10 20 - -  f 30 40 - -  f 50 60 - -", "10-20 f, 30-40 f, 50-60 f" },
	{ "f 50 60 - -  f 10 20 - -", "10-20 f, 50-60 f" },
	{ "f 10 20 - -  f 10 20 - -", "10-20 f" },
	{ "f 10 40 - -  f 20 30 - -", "10-20 f, 20-30 f, 30-40 f" },
};

TEST(addresses_go_to_the_longest_lived)
{
	struct jit_window window = { 0 };

	window.by[JIT_STEADY].start = 100;
	window.by[JIT_STEADY].end = 200;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct jit_layout layout;
		struct jit_code c;
		char *got;

		jit_code_init(&c, &window);
		add_blocks(&c, rows[i].blocks);
		jit_layout_make(&c, &layout);
		got = layout_text(&layout);
		CHECK(!strcmp(got, rows[i].want), "%s: want '%s', got '%s'", rows[i].blocks,
		      rows[i].want, got);
		free(got);
		jit_layout_free(&layout);
		jit_code_free(&c);
	}
}

/* Without a session, the first and last times in the file are used. */
TEST(without_a_session)
{
	struct jit_layout layout;
	struct jit_code c;
	char *got;

	jit_code_init(&c, NULL);
	add_blocks(&c, "a 10 20 100 -  b 10 20 130 -  c 30 40 100 200");
	jit_layout_make(&c, &layout);
	got = layout_text(&layout);
	CHECK(!strcmp(got, "10-20 b, 30-40 c"), "got '%s'", got);
	free(got);
	jit_layout_free(&layout);
	jit_code_free(&c);
}

static bool overlap(const struct jit_block *a, const struct jit_block *b)
{
	return b->start < a->start + a->size && a->start < b->start + b->size;
}

/* The reference compares all with all. */
static uint64_t death_of(const struct jit_code *c, size_t i, uint64_t given)
{
	const struct jit_block *a = &c->blocks[i];

	for (size_t j = 0; j < c->nr; j++) {
		const struct jit_block *b = &c->blocks[j];

		if (j != i && overlap(a, b) && b->birth < given &&
		    (b->birth > a->birth || (b->birth == a->birth && j > i)))
			given = b->birth;
	}
	return given;
}

TEST(deaths_at_random)
{
	for (unsigned int turn = 0; turn < 300; turn++) {
		uint64_t given[40];
		struct jit_code c;

		jit_code_init(&c, NULL);
		for (unsigned int i = 0; i < ARRAY_SIZE(given); i++) {
			struct jit_block b = { .start = test_random() % 60,
					       .size = 1 + test_random() % 20,
					       .birth = test_random() % 30,
					       .clock = JIT_STEADY };

			b.death = given[i] = test_random() % 4 ? JIT_FOREVER : 25;
			jit_code_add(&c, &b, "x", 1);
		}
		jit_set_deaths(&c);
		for (size_t i = 0; i < c.nr; i++)
			CHECK(c.blocks[i].death == death_of(&c, i, given[i]), "turn %u, block %zu",
			      turn, i);
		jit_code_free(&c);
	}
}

static void check_order(const struct jit_layout *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->symbols[i].start >= l->symbols[i].end ||
		    (i && l->symbols[i - 1].end > l->symbols[i].start)) {
			CHECK(false, "symbol %zu", i);
			break;
		}
}

/* Each inside all earlier ones: the time must not be quadratic. */
TEST(malicious_overlaps_are_fast)
{
	const unsigned int nr = 200000;
	struct timespec t;
	struct jit_layout layout;
	struct jit_code c;

	jit_code_init(&c, NULL);
	for (unsigned int i = 0; i < nr; i++) {
		struct jit_block b = { .start = i, .size = 2 * nr - 2 * i, .birth = i,
				       .death = JIT_FOREVER,
				       .clock = i & 1 ? JIT_STEADY : JIT_WALL };

		jit_code_add(&c, &b, "x", 1);
	}
	jit_layout_make(&c, &layout);
	check_order(&layout);
	CHECK(layout.nr > nr / 2, "%zu", layout.nr);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	CHECK(t.tv_sec < 20, "%ld s", (long)t.tv_sec);
	jit_layout_free(&layout);
	jit_code_free(&c);
}

static struct jit_code long_names(unsigned int nr_long, unsigned int nr_short)
{
	char name[JIT_NAME_MAX];
	struct jit_code c;

	memset(name, 'n', sizeof(name));
	jit_code_init(&c, NULL);
	for (unsigned int i = 0; i < nr_long; i++)
		jit_code_add(&c, &(struct jit_block){ .start = 1000000ull * i, .size = 1000000,
						      .death = JIT_FOREVER }, name, sizeof(name));
	for (unsigned int i = 1; i < nr_short; i++)
		jit_code_add(&c, &(struct jit_block){ .start = 10 * i, .size = 1, .birth = i,
						      .death = JIT_FOREVER }, "x", 1);
	return c;
}

/* The parts of a block share its name. */
TEST(many_parts_with_a_long_name)
{
	struct jit_code c = long_names(1, 100000);
	struct jit_layout layout;

	jit_layout_make(&c, &layout);
	check_order(&layout);
	CHECK(layout.names.len < 2 * 100000 + 2 * JIT_NAME_MAX && !layout.dropped,
	      "%zu bytes, %zu dropped", layout.names.len, layout.dropped);
	jit_layout_free(&layout);
	jit_code_free(&c);
}

/* The total size of names is bounded. */
TEST(many_long_names)
{
	struct jit_code c = long_names(JIT_NAMES_MAX / JIT_NAME_MAX + 1000, 0);
	struct jit_layout layout;

	jit_layout_make(&c, &layout);
	CHECK(layout.names.len < JIT_NAMES_MAX + 2 * JIT_NAME_MAX && layout.dropped > 0,
	      "%zu bytes, %zu dropped", layout.names.len, layout.dropped);
	jit_layout_free(&layout);
	jit_code_free(&c);
}

TEST_MAIN()
