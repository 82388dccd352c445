// SPDX-License-Identifier: GPL-2.0-or-later
/* model.c - which rows are shown, in which order, how, and what keys do */
#include "live/top/model.h"

#include "libutil/hash.h"
#include "tests/tap.h"

struct sample {
	const char *name, *detail;
	double now;
	uint64_t since, before;
};

static const struct sample samples[] = {
	{ "burn", "burner", 30, 500, 100 },
	{ "read", "libc.so.6", 60, 300, 800 },
	{ "Burn_more", "burner", 4, 100, 100 },
	{ "idle", "kallsyms", 6, 100, 0 },
};

static void fill(struct top_model *m, const struct sample *from, size_t nr)
{
	top_rows_begin(m);
	for (size_t i = 0; i < nr; i++) {
		bool is_new;
		struct top_row *row = top_row(m, hash_string(from[i].name), &is_new);

		row->name = from[i].name;
		row->detail = from[i].detail;
		row->now += from[i].now;
		row->since += from[i].since;
		row->before += from[i].before;
		m->now += from[i].now;
		m->since += from[i].since;
		m->before += from[i].before;
	}
	top_rows_end(m);
}

static struct top_model new_model(unsigned int width, unsigned int height)
{
	struct top_model m;

	top_model_init(&m, width, height);
	fill(&m, samples, 4);
	return m;
}

/* Press @keys, and make the rows anew where that is needed. */
static void press(struct top_model *m, const char *keys)
{
	for (; *keys; keys++)
		if (top_key(m, *keys) != TOP_SAME_ROWS)
			fill(m, samples, 4);
}

static void check_order(const struct top_model *m, const char *names[], size_t nr, const char *why)
{
	CHECK(m->nr_shown == nr, "%s: %zu rows", why, m->nr_shown);
	for (size_t i = 0; i < nr && i < m->nr_shown; i++)
		CHECK(!strcmp(m->rows[i].name, names[i]), "%s: row %zu is %s", why, i,
		      m->rows[i].name);
}
#define ORDER(m, why, ...) check_order(m, (const char *[]){ __VA_ARGS__ },                    \
	sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), why)

TEST(orders)
{
	struct top_model m = new_model(80, 24);

	ORDER(&m, "recent ones first", "read", "burn", "idle", "Burn_more");
	press(&m, "r");
	ORDER(&m, "reversed", "Burn_more", "idle", "burn", "read");
	press(&m, "s");
	ORDER(&m, "by samples", "burn", "read", "Burn_more", "idle");
	press(&m, "s");
	ORDER(&m, "by name: there is no mark", "Burn_more", "burn", "idle", "read");
	press(&m, "s");
	ORDER(&m, "again", "read", "burn", "idle", "Burn_more");
	CHECK(top_key(&m, 'm') == TOP_MARK, "a mark");
	m.has_mark = true;
	press(&m, "ss");
	/* 50-10, 10-0, 10-10, 30-80 */
	ORDER(&m, "by change", "burn", "idle", "Burn_more", "read");
	CHECK(top_key(&m, 'M') == TOP_NO_MARK && m.sort == TOP_BY_NOW, "no order by change");
	CHECK(top_key(&m, 'e') == TOP_NEXT_EVENT, "the next event");
	top_model_free(&m);
}

TEST(adds_up)
{
	struct top_model m;
	const struct sample twice[] = { samples[0], samples[0], samples[1] };

	top_model_init(&m, 80, 24);
	fill(&m, twice, 3);
	ORDER(&m, "one row for a key", "burn", "read");
	CHECK(m.rows[0].since == 1000 && m.rows[0].now == 60, "sums");
	top_model_free(&m);
}

TEST(filters)
{
	struct top_model m = new_model(80, 24);

	press(&m, "/buRN");
	CHECK(m.is_typing, "typing");
	ORDER(&m, "any case, image too", "burn", "Burn_more");
	CHECK(m.since == 1000, "percentages are still of all samples");
	press(&m, "q");
	CHECK(!m.is_over && m.nr_shown == 0, "letters are no commands");
	top_key(&m, TOP_BACKSPACE);
	press(&m, "\n");
	CHECK(!m.is_typing, "accepted");
	top_key(&m, TOP_ESCAPE);
	fill(&m, samples, 4);
	CHECK(m.nr_shown == 4 && m.nr_levels == 1, "removed");
	press(&m, "/x");
	for (int i = 0; i < 200; i++)
		top_key(&m, 'y');
	CHECK(strlen(m.filter) == TOP_TEXT - 1, "as long as there is room");
	top_key(&m, TOP_ESCAPE);
	CHECK(!*m.filter && !m.is_typing, "given up");
	top_model_free(&m);
}

TEST(zooms)
{
	struct top_model m = new_model(80, 24);

	press(&m, "1j\n");
	CHECK(m.nr_levels == 2 && top_level(&m)->view == TOP_SYMBOLS &&
	      top_level(&m)->key == hash_string("burn") && !strcmp(top_level(&m)->title, "burn"),
	      "symbols of an image");
	press(&m, "\n");
	CHECK(top_level(&m)->view == TOP_CALLERS && m.nr_levels == 3, "callers of a symbol");
	press(&m, "\na");
	CHECK(top_level(&m)->view == TOP_SOURCE && m.nr_levels == 5, "source of a caller");
	press(&m, "\na");
	CHECK(m.nr_levels == 5, "a line has neither");
	for (int i = 0; i < 10; i++)
		top_key(&m, TOP_ESCAPE);
	fill(&m, samples, 4);
	CHECK(m.nr_levels == 1 && top_level(&m)->view == TOP_IMAGES, "back to the images");
	CHECK(m.rows[top_level(&m)->index].key == hash_string("burn"), "on the row it left");
	press(&m, "5\n");
	CHECK(top_level(&m)->view == TOP_FRAMES, "frames of a stack");
	press(&m, "2");
	CHECK(m.nr_levels == 1 && top_level(&m)->view == TOP_SYMBOLS, "another view");
	for (int i = 0; i < 2 * TOP_LEVELS; i++)
		press(&m, "\n");
	CHECK(m.nr_levels == TOP_LEVELS, "%zu levels", m.nr_levels);
	press(&m, "3a");
	CHECK(m.nr_levels == 1 && *m.message, "a process has no source");
	top_model_free(&m);
}

/* What the user has chosen stays chosen when the order changes; the first row is not chosen. */
TEST(follows)
{
	static const struct sample later[] = {
		{ "idle", "kallsyms", 90, 900, 0 }, { "burn", "burner", 30, 500, 100 },
	};
	struct top_model m = new_model(80, 24);

	fill(&m, later, 2);
	CHECK(top_level(&m)->index == 0, "the top");
	press(&m, "j");
	CHECK(top_level(&m)->index == 1, "a row: burn");
	fill(&m, later, 2);
	CHECK(top_level(&m)->index == 1, "it is still the second");
	top_key(&m, TOP_UP);
	top_key(&m, TOP_END);
	fill(&m, samples, 4);
	CHECK(!strcmp(m.rows[top_level(&m)->index].name, "burn"), "it moved with the row");
	top_rows_begin(&m);
	top_rows_end(&m);
	CHECK(top_level(&m)->index == 0, "no rows");
	press(&m, "\na");
	top_model_free(&m);
}

TEST(scrolls)
{
	struct sample many[100];
	static char names[100][16];
	struct top_model m;

	top_model_init(&m, 40, 12);
	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02d", i);
		many[i] = (struct sample){ names[i], NULL, 100 - i, 100, 0 };
	}
	fill(&m, many, 100);
	top_key(&m, TOP_PAGE_DOWN);
	CHECK(top_level(&m)->index == 9 && top_level(&m)->first == 1, "a page of nine rows");
	top_key(&m, TOP_END);
	CHECK(top_level(&m)->index == 99 && top_level(&m)->first == 91, "the end");
	top_key(&m, TOP_DOWN);
	CHECK(top_level(&m)->index == 99, "not past it");
	m.height = 24;
	fill(&m, many, 100);
	CHECK(top_level(&m)->first == 79, "a higher screen is filled");
	top_key(&m, TOP_HOME);
	top_key(&m, TOP_UP);
	CHECK(top_level(&m)->index == 0 && top_level(&m)->first == 0, "the beginning");
	top_model_free(&m);
}

TEST(clicks)
{
	struct top_model m = new_model(80, 24);

	CHECK(top_click(&m, 30, 3) == TOP_SAME_ROWS && top_level(&m)->index == 1, "selects");
	CHECK(top_click(&m, 30, 3) == TOP_OTHER_ROWS && m.nr_levels == 2, "then enters");
	top_key(&m, TOP_ESCAPE);
	fill(&m, samples, 4);
	CHECK(top_click(&m, 9, 1) == TOP_OTHER_ROWS && m.sort == TOP_BY_SAMPLES, "a head");
	CHECK(top_click(&m, 40, 1) == TOP_OTHER_ROWS && m.sort == TOP_BY_NAME, "the name's");
	CHECK(top_click(&m, 40, 1) == TOP_OTHER_ROWS && m.is_reverse, "reversed");
	for (unsigned int y = 0; y < 100; y++)
		if (y != 1 && (y < 2 || y > 5))
			CHECK(top_click(&m, 500, y) == TOP_SAME_ROWS, "nothing at line %u", y);
	top_model_free(&m);
}

/* --- lines --- */

/* Every line is as wide as the screen, and there are as many as it has. */
static void check_size(const struct top_model *m)
{
	struct strbuf text = STRBUF_INIT;
	unsigned int lines = 0;

	top_print(m, &text);
	for (const char *p = text.text; *p; lines++) {
		size_t n = strcspn(p, "\n");
		unsigned int width = 0;

		for (size_t i = 1; i < n; i++)
			width += (p[i] & 0xc0) != 0x80;
		CHECK(width == m->width, "line %u of %ux%u is %u wide: %.*s", lines, m->width,
		      m->height, width, (int)n, p);
		CHECK(strchr("thsb k", *p), "looks like '%c'", *p);
		p += n + (p[n] == '\n');
	}
	CHECK(lines == m->height, "%u lines, not %u", lines, m->height);
	strbuf_free(&text);
}

TEST(sizes)
{
	static const struct sample odd[] = {
		{ "a\tb\x1b[2Jc\n\xff\xfe", "\x01", 5, 5, 5 },
		{ "gr\xc3\xbc\xc3\x9f" "e_a_name_that_is_longer_than_most_of_the_screens_are_wide_"
		  "\xe2\x82\xac\xe2\x82\xac", "\xe2\x82\xac\xe2\x82\xac", 1, UINT64_MAX, 1 },
		{ "", "", 0, 0, 0 },
	};
	static const unsigned int sizes[] = { 1, 2, 3, 7, 12, 24, 40, 59, 60, 61, 80, 132, 1000 };
	const size_t nr = sizeof(sizes) / sizeof(*sizes);

	for (size_t w = 0; w < nr; w++)
		for (size_t h = 0; h < nr; h++) {
			struct top_model m = new_model(sizes[w], sizes[h]);

			fill(&m, odd, 3);
			check_size(&m);
			m.has_mark = m.is_frozen = true;
			m.lost = 12;
			snprintf(m.event, sizeof(m.event), "CPU_CLK_UNHALTED");
			check_size(&m);
			press(&m, "?");
			check_size(&m);
			press(&m, "?/a");
			check_size(&m);
			top_model_free(&m);
		}
}

static void check_line(const struct top_model *m, unsigned int line, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	const char *p;
	size_t n;

	top_print(m, &text);
	for (p = text.text; line; line--)
		p = strchr(p, '\n') + 1;
	n = strcspn(p, "\n");
	CHECK(n == strlen(expected) && !strncmp(p, expected, n), "'%.*s', not '%s'", (int)n, p,
	      expected);
	strbuf_free(&text);
}

TEST(lines)
{
	struct top_model m = new_model(64, 10);

	m.seconds = 12;
	m.rate = 83.4;
	check_line(&m, 0, "tsymbols  1000 samples in 12 s, 83/s                           "
		   "  ");
	check_line(&m, 1, "h *now%   all%   samples  symbol                                "
		   " ");
	check_line(&m, 2, "s 60.00  30.00       300  read                          libc.so.6");
	check_line(&m, 3, "b 30.00  50.00       500  burn                             burner");
	check_line(&m, 5, "   4.00  10.00       100  Burn_more                        burner");
	check_line(&m, 6, "                                                                 ");
	press(&m, "f");
	check_line(&m, 0, "tFROZEN symbols  1000 samples in 12 s, 83/s                    "
		   "  ");
	press(&m, "fm");
	m.has_mark = true;
	check_line(&m, 2, "s 60.00  30.00  -50.00  read                            libc.so.6");
	top_rows_begin(&m);
	top_rows_end(&m);
	check_line(&m, 2, "   no samples yet                                                ");
	top_model_free(&m);
}

TEST(quits)
{
	struct top_model m = new_model(80, 24);

	press(&m, "?q");
	CHECK(!m.is_over && !m.is_help, "the first key ends the help");
	press(&m, "q");
	CHECK(m.is_over, "quit");
	top_model_free(&m);
}

TEST_MAIN()
