/* SPDX-License-Identifier: GPL-2.0-or-later */
/* populate.c - the merge pass against plain sums, and its edge cases */
#include "tests/tap.h"

#include "libutil/xalloc.h"
#include "pp/report/populate.h"

static struct report_image image = {.kind = IMAGE_FILE, .path = (char[]){"/x"},
				    .name = (char[]){"/x"}};
static uint64_t random_state = 1234567;

static uint64_t next_random(uint64_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % limit;
}

static void add_symbol(struct binary *b, uint64_t start, uint64_t end, const char *name)
{
	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] =
		(struct code_symbol){.start = start, .end = end, .name = name};
}

static void add_section(struct binary *b, uint64_t start, uint64_t end, const char *name)
{
	xgrow(b->sections, b->nr_sections, b->sections_room);
	b->sections[b->nr_sections++] = (struct code_section){
		.start = start, .end = end, .vma = start + 0x400000, .name = name,
		.is_code = true };
}

static void free_binary(struct binary *b)
{
	free(b->symbols);
	free(b->shown);
	free(b->sections);
}

static uint64_t count_of(const struct row_list *rows, const char *name, size_t class)
{
	uint64_t n = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->rows[i]->name, name))
			n += rows->rows[i]->counts[class];
	return n;
}

TEST(edges_of_symbols)
{
	struct sample samples[] = {
		{ 0, 1, 0 },  { 9, 2, 0 },	   { 10, 4, 0 },	 { 19, 8, 1 },
		{ 20, 16, 0 }, { 30, 32, 0 },	   { 39, 64, 0 },	 { 40, 128, 0 },
		{ 99, 256, 0 }, { 100, 512, 0 }, { UINT64_MAX, 1024, 0 },
	};
	struct sample_list list = { samples, sizeof(samples) / sizeof(samples[0]), 0 };
	struct populate_options options = { 0 };
	struct binary b = { 0 };
	struct row_list rows;

	add_section(&b, 5, 100, ".text");
	add_symbol(&b, 10, 20, "f");
	add_symbol(&b, 30, 40, "g");
	rows_init(&rows, 2);
	populate_symbols(&b, &list, &image, &image, &options, &rows);
	CHECK(count_of(&rows, "f", 0) == 4 && count_of(&rows, "f", 1) == 8, "f");
	CHECK(count_of(&rows, "g", 0) == 32 + 64, "g");
	CHECK(count_of(&rows, "[.text]", 0) == 2 + 16 + 128 + 256, "between them");
	CHECK(count_of(&rows, "[no section]", 0) == 1 + 512 + 1024, "outside");
	rows_free(&rows);
	rows_init(&rows, 2);
	options.compat = true;
	populate_symbols(&b, &list, &image, &image, &options, &rows);
	CHECK(rows.nr == 2, "%zu rows", rows.nr);
	rows_free(&rows);
	free_binary(&b);
}

TEST(no_symbols)
{
	struct sample samples[] = { { 0, 1, 0 }, { UINT64_MAX, 2, 0 }, { UINT64_MAX, 0, 0 } };
	struct sample_list list = { samples, 3, 0 };
	struct populate_options options = { .compat = true };
	struct binary b = { 0 };
	struct row_list rows;

	rows_init(&rows, 1);
	populate_symbols(&b, &list, &image, &image, &options, &rows);
	CHECK(rows.nr == 1 && count_of(&rows, "/x", 0) == 3, "one row named as the image");
	list.nr = 0;
	populate_symbols(&b, &list, &image, &image, &options, &rows);
	CHECK(rows.nr == 1, "no samples, no row");
	rows_free(&rows);
}

TEST(key_base)
{
	struct sample samples[] = { { 5, 1, 0 }, { UINT64_MAX - 1, 2, 0 } };
	struct sample_list list = { samples, 2, 0 };
	struct populate_options options = { 0 };
	struct binary b = { .key_base = 0x1000 };
	struct row_list rows;

	add_symbol(&b, 0x1000, 0x1010, "f");
	rows_init(&rows, 1);
	populate_symbols(&b, &list, &image, &image, &options, &rows);
	CHECK(count_of(&rows, "f", 0) == 1, "key + base");
	CHECK(count_of(&rows, "[no section]", 0) == 2, "does not wrap around");
	rows_free(&rows);
	free_binary(&b);
}

/* Random symbols with gaps, random samples: each row is the plain sum, and nothing is lost. */
TEST(against_plain_sums)
{
	for (int round = 0; round < 200; round++) {
		struct populate_options options = { 0 };
		struct sample_list list = { 0 };
		struct binary b = { 0 };
		struct row_list rows;
		size_t nr_samples = next_random(300);
		uint64_t at = next_random(50), all = 0;
		char names[64][8];

		for (size_t i = next_random(64); i > 0; i--) {
			uint64_t end = at + 1 + next_random(40);

			snprintf(names[i], sizeof(names[i]), "s%zu", i);
			add_symbol(&b, at, end, names[i]);
			at = end + next_random(3) * next_random(10);
		}
		add_section(&b, 0, 100, ".a");
		list.samples = xcalloc(nr_samples + 1, sizeof(*list.samples));
		list.nr = nr_samples;
		list.room = nr_samples + 1;
		for (size_t i = 0; i < nr_samples; i++) {
			list.samples[i] = (struct sample){ next_random(at + 50), 1 + next_random(9),
							   next_random(3) };
			all += list.samples[i].count;
		}
		samples_sort(&list);
		rows_init(&rows, 3);
		populate_symbols(&b, &list, &image, &image, &options, &rows);
		for (size_t s = 0; s < b.nr_symbols; s++)
			for (size_t c = 0; c < 3; c++) {
				uint64_t want = 0;

				for (size_t i = 0; i < nr_samples; i++)
					if (list.samples[i].class == c &&
					    list.samples[i].offset >= b.symbols[s].start &&
					    list.samples[i].offset < b.symbols[s].end)
						want += list.samples[i].count;
				CHECK(b.nr_symbols == 0 ||
					      count_of(&rows, b.symbols[s].name, c) == want,
				      "round %d, %s", round, b.symbols[s].name);
			}
		rows_total(&rows);
		CHECK(rows.totals[0] + rows.totals[1] + rows.totals[2] == all, "round %d: all",
		      round);
		rows_free(&rows);
		samples_free(&list);
		free_binary(&b);
	}
}

TEST(one_symbol_per_address)
{
	static const char *const names[] = { "__memcpy", "memcpy", "Letext", "a", "b" };
	struct binary b = { 0 };

	add_section(&b, 0, 100, ".text");
	for (size_t i = 0; i < 5; i++) {
		add_symbol(&b, i < 3 ? 10 : 50, 0, names[i]);
		b.symbols[i].rank = i == 0 ? 2 : i == 2 ? 16 : 0;
	}
	binary_finish(&b);
	CHECK(b.nr_symbols == 2, "%zu symbols", b.nr_symbols);
	CHECK(!strcmp(b.symbols[0].name, "memcpy"), "%s", b.symbols[0].name);
	CHECK(!strcmp(b.symbols[1].name, "a"), "%s: the first of equals", b.symbols[1].name);
	CHECK(b.symbols[0].end == 50 && b.symbols[1].end == 100, "ends");
	free_binary(&b);
}

TEST_MAIN()
