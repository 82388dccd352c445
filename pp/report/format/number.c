/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.c - percentages, ratios and colors */
#include "pp/report/format/text.h"

#include <math.h>

#include "libutil/print_line.h"

#define PERCENT_WIDTH	7

/*
 * "%7.4f" of a value below 100, much faster: printf() would take half the time of a long list.
 * Returns false, for printf() to decide, if rounding could give another result.
 */
static bool add_share(struct strbuf *out, double percent)
{
	double scaled = percent * 10000, whole = floor(scaled), rest = scaled - whole;
	char text[PERCENT_WIDTH];
	unsigned int n;

	if (percent < 0 || percent > 99.999 || fabs(rest - 0.5) < 1e-6)
		return false;
	n = (unsigned int)whole + (rest > 0.5);
	for (int i = PERCENT_WIDTH - 1; i > 2; i--, n /= 10)
		text[i] = (char)('0' + n % 10);
	text[2] = '.';
	text[1] = (char)('0' + n % 10);
	text[0] = n >= 10 ? (char)('0' + n / 10) : ' ';
	strbuf_add_bytes(out, text, PERCENT_WIDTH);
	return true;
}

/* Likewise "%.1e" of a value below 0.001, as most rows of a long list have. @percent > 0. */
static bool add_small_share(struct strbuf *out, double percent)
{
	int exponent = -4;
	double scaled = percent * 1e5, whole, rest;	/* two digits before the point */
	char text[] = "0.0e-00";

	for (; scaled < 10 && exponent > -20; exponent--)
		scaled *= 10;
	whole = floor(scaled);
	rest = scaled - whole;
	/* rounding, or the position of the point, could give another result */
	if (exponent <= -20 || scaled >= 99.4 || fabs(rest - 0.5) < 1e-6 || scaled - 10 < 1e-6)
		return false;
	whole += rest > 0.5;
	text[0] = (char)('0' + (int)whole / 10);
	text[2] = (char)('0' + (int)whole % 10);
	text[5] = (char)('0' + -exponent / 10);
	text[6] = (char)('0' + -exponent % 10);
	strbuf_add_bytes(out, text, sizeof(text) - 1);
	return true;
}

static bool add_quickly(struct strbuf *out, double percent)
{
	return percent > 0.001 ? add_share(out, percent)
	     : percent > 0 ? add_small_share(out, percent) : false;
}

void format_percent_value(struct strbuf *out, double percent)
{
	size_t start = out->len;

	if (percent == 0)
		strbuf_addf(out, "%*s", PERCENT_WIDTH, "0");
	else if (!add_quickly(out, percent) && fabs(percent) <= 0.001)
		strbuf_addf(out, "%.1e", percent);
	else if (out->len == start)
		strbuf_addf(out, "%*.4f", PERCENT_WIDTH, percent);
	if (out->len > start + PERCENT_WIDTH)
		strbuf_truncate(out, start + PERCENT_WIDTH);
}

void format_percent(struct strbuf *out, uint64_t part, uint64_t total)
{
	format_percent_value(out, total ? 100.0 * (double)part / (double)total : 0);
}

size_t format_nr_ratios(const struct text_options *options)
{
	return options->ratios ? options->ratios->nr : 0;
}

void format_change_as_original(struct strbuf *out, double percent)
{
	if (isinf(percent))
		strbuf_add(out, percent > 0 ? "+++" : "---");
	else if (percent == 0)
		strbuf_addf(out, "%*s", PERCENT_WIDTH, "0");
	else
		strbuf_addf(out, fabs(percent) > 0.001 ? "%+*.4f" : "%+*.1e", PERCENT_WIDTH,
			    percent);
}

void format_change(struct strbuf *out, double percent)
{
	if (isinf(percent))
		strbuf_add(out, percent > 0 ? "+++" : "---");
	else if (percent == 0)
		strbuf_addf(out, "%*s", PERCENT_WIDTH, "+0");
	else if (fabs(percent) <= 0.001)
		strbuf_addf(out, "%+.1e", percent);
	else
		strbuf_addf(out, "%+*.*f", PERCENT_WIDTH, fabs(percent) < 100 ? 4 : 3, percent);
}

const char *format_color_start(enum line_color color)
{
	static const char *const starts[] = {
		[COLOR_NONE] = "",
		[COLOR_WARM] = "\033[32m",	/* green */
		[COLOR_HOT] = "\033[31m",	/* red */
	};

	return starts[color];
}

const char *format_color_end(enum line_color color)
{
	return color == COLOR_NONE ? "" : "\033[m";
}

enum line_color format_color(const uint64_t *counts, const uint64_t *totals, size_t nr,
			     bool wanted)
{
	enum line_color color = COLOR_NONE;

	for (size_t i = 0; wanted && i < nr; i++) {
		double share = totals[i] ? (double)counts[i] / (double)totals[i] : 0;

		if (share >= 0.05)
			return COLOR_HOT;
		if (share >= 0.005)
			color = COLOR_WARM;
	}
	return color;
}

void format_colored_line(struct strbuf *line, enum line_color color, FILE *out)
{
	if (color == COLOR_NONE) {
		print_line(line, out);
		return;
	}
	plain_line(line);
	fprintf(out, "%s%s%s\n", format_color_start(color), line->text, format_color_end(color));
	strbuf_reset(line);
}
