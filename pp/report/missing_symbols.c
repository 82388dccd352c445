/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_symbols.c - which share of the samples has no function's name, and why
 *
 * On most machines nearly every binary is stripped: a summary stands for a notice for each [SY-16].
 */
#include "pp/report/missing_symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/number.h"
#include "libutil/strbuf.h"

#define WORTH_A_LINE	1.0	/* percent of all samples of the report */
#define PLACES_MAX	300	/* characters */

static bool is_stripped(const struct populated_image *p)
{
	return p->is_file && p->samples && p->inverted->image->kind != IMAGE_ANON &&
	       (p->from == SYMBOLS_NONE || p->from == SYMBOLS_DYNAMIC);
}

/* Length of the first places in @looked that fit, at least one. */
static size_t whole_places(const char *looked)
{
	size_t len = strcspn(looked, ",");

	while (looked[len]) {
		size_t next = len + 1 + strcspn(looked + len + 1, ",");

		if (next > PLACES_MAX)
			break;
		len = next;
	}
	return len;
}

static void notice_one(const struct populated_image *p, struct notices *notices)
{
	const char *what = p->from == SYMBOLS_NONE ? "shown without symbols"
						   : "shown with exported symbols only";
	size_t places;

	if (p->looked_in) {
		places = whole_places(p->looked_in);
		notice_add_kind(notices, NOTICE_STRIPPED,
				"'%s' is stripped, %s: no debug file at %.*s%s",
				p->inverted->image->name, what, (int)places, p->looked_in,
				p->looked_in[places] ? ", ..." : "");
	} else {
		notice_add_kind(notices, NOTICE_STRIPPED,
				"'%s' is stripped, %s: it has neither build ID nor debug link",
				p->inverted->image->name, what);
	}
}

static void summarize(const struct population *population, size_t nr_stripped, uint64_t total,
		      struct notices *notices)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct strbuf which = STRBUF_INIT;
	char share[PERCENT_TEXT];
	const struct populated_image *stripped = NULL;
	uint64_t unnamed = 0;

	for (size_t i = 0; i < population->nr; i++) {
		if (!is_stripped(&population->images[i]))
			continue;
		stripped = &population->images[i];
		unnamed += stripped->unnamed;
	}
	if (!unnamed)
		return;
	if (nr_stripped == 1)
		strbuf_addf(&which, "'%s' is stripped", stripped->inverted->image->name);
	else
		strbuf_addf(&which, "%zu images are stripped, --verbose lists them", nr_stripped);
	notice_add_kind(notices, NOTICE_SUMMARY, "%s of the samples have no function names (%s); "
			"install debug symbol packages%s",
			number_format_percent(share, (double)unnamed, (double)total), which.text,
			urls && *urls ? "" : " or set DEBUGINFOD_URLS, see opdoctor(1)");
	strbuf_free(&which);
}

bool image_is_worth_a_line(double samples, double total)
{
	return 100 * samples >= WORTH_A_LINE * total;
}

void missing_symbols_notices(const struct population *population, struct notices *notices)
{
	uint64_t total = 0;
	size_t nr_stripped = 0, nr_others = 0;

	for (size_t i = 0; i < population->nr; i++) {
		total += population->images[i].samples;
		nr_stripped += is_stripped(&population->images[i]);
	}
	summarize(population, nr_stripped, total, notices);
	for (size_t i = 0; i < population->nr; i++) {
		const struct populated_image *p = &population->images[i];

		if (!is_stripped(p))
			continue;
		if (image_is_worth_a_line((double)p->samples, (double)total))
			notice_one(p, notices);
		else
			nr_others++;
	}
	if (nr_others)
		notice_add_kind(notices, NOTICE_STRIPPED, "%zu other image%s with less than %g %% "
				"of the samples %s stripped as well", nr_others,
				nr_others == 1 ? "" : "s", WORTH_A_LINE,
				nr_others == 1 ? "is" : "are");
}
