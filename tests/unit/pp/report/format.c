/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format.c - percentages in seven characters, and columns */
#include "tests/tap.h"

#include "pp/report/format/text.h"

static const struct {
	double value;
	const char *want;
} percents[] = {
	{ 0, "      0" },	    { 2.2, " 2.2000" },	      { 100, "100.000" },
	{ 99.9999, "99.9999" },	    { 99.99999, "100.000" },  { 3.44e-6, "3.4e-06" },
	{ 0.001, "1.0e-03" },	    { 0.0011, " 0.0011" },    { 12.34567, "12.3457" },
	{ 4.2e-12, "4.2e-12" },
};

TEST(percent)
{
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		struct strbuf s = STRBUF_INIT;

		format_percent_value(&s, percents[i].value);
		CHECK(!strcmp(s.text, percents[i].want), "%g: want '%s', got '%s'",
		      percents[i].value, percents[i].want, s.text);
		strbuf_free(&s);
	}
}

/* Fast formatting equals printf(), digit for digit. */
TEST(percent_against_printf)
{
	for (uint64_t i = 0; i < 2000000; i++) {
		uint64_t total = 1 + i * 7919 % 100003, part = i * 104729 % (total + 1);
		double percent = 100.0 * (double)part / (double)total;
		struct strbuf s = STRBUF_INIT;
		char want[32];

		if (percent <= 0.001)
			continue;
		snprintf(want, sizeof(want), "%7.4f", percent);
		want[7] = '\0';
		format_percent_value(&s, percent);
		if (strcmp(s.text, want))
			CHECK(false, "%.17g: want '%s', got '%s'", percent, want, s.text);
		strbuf_free(&s);
	}
}

TEST(small_percent_against_printf)
{
	for (uint64_t i = 1; i < 1000000; i++) {
		uint64_t total = 100000 + i * 7919 % 10000000019, part = 1 + i % 7;
		double percent = 100.0 * (double)part / (double)total;
		struct strbuf s = STRBUF_INIT;
		char want[32];

		if (percent > 0.001)
			continue;
		snprintf(want, sizeof(want), "%.1e", percent);
		want[7] = '\0';
		format_percent_value(&s, percent);
		if (strcmp(s.text, want))
			CHECK(false, "%.17g: want '%s', got '%s'", percent, want, s.text);
		strbuf_free(&s);
	}
}

TEST(percent_of_counts)
{
	struct strbuf s = STRBUF_INIT;

	format_percent(&s, 1, 3);
	format_percent(&s, 5, 0);	/* a class without samples: nothing to divide by */
	format_percent(&s, UINT64_MAX, UINT64_MAX);
	CHECK(!strcmp(s.text, "33.3333      0100.000"), "'%s'", s.text);
	strbuf_free(&s);
}

static char *list_of(const struct row_list *rows, const struct text_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	format_symbols(rows, options, out);
	fclose(out);
	return text;
}

TEST(control_characters)
{
	struct report_image image = {.kind = IMAGE_FILE, .path = (char[]){"/a"},
				     .name = (char[]){"/a"}};
	struct text_options options = { .no_header = true };
	struct row_list rows;
	char *text;

	rows_init(&rows, 1);
	rows_add(&rows, &image, &image, "bad\033[2J\nname\t", 0)->counts[0] = 1;
	rows_total(&rows);
	text = list_of(&rows, &options);
	CHECK(!strcmp(text, "1        100.000  bad?[2J?name?\n"), "'%s'", text);
	free(text);
	rows_free(&rows);
}

/* A field as wide as its column or wider is followed by one blank. */
TEST(full_columns)
{
	char name[] = "/1234567890123456789012345";	/* 25 without the '/' */
	struct report_image image = { .kind = IMAGE_FILE, .path = name, .name = name };
	struct report_image app = {.kind = IMAGE_FILE, .path = (char[]){"/app"},
				   .name = (char[]){"/app"}};
	struct text_options options = { .no_header = true };
	struct row_list rows;
	char *text;

	rows_init(&rows, 1);
	rows_add(&rows, &image, &app, "f", 0)->counts[0] = 1234567890;
	rows_total(&rows);
	text = list_of(&rows, &options);
	CHECK(!strcmp(text, "1234567890 100.000  1234567890123456789012345 f\n"), "'%s'", text);
	free(text);
	rows_free(&rows);
}

TEST_MAIN()
