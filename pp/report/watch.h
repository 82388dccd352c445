/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - what grew in the last hour, compared with the same hour of other days: opdiff --watch
 *
 * A row counts if it grew beyond chance against each of these days: so what differs from day to day
 * is no growth. Rules: doc/opdiff.md [DS-11].
 */
#ifndef PP_REPORT_WATCH_H
#define PP_REPORT_WATCH_H

#include "pp/report/compare.h"

#define WATCH_DAYS	7

struct watched_row {
	char *image, *symbol;		/* as shown */
	size_t class;
	unsigned int nr_days;		/* on which its share was smaller, beyond chance */
	double now, most;		/* percent: in the last hour; the largest on other days */
};

struct watch {
	struct watched_row *rows;
	size_t nr, room;
	unsigned int nr_days;
};

/* Add the comparisons of another day (first) with now (second), one for each of @nr classes. */
void watch_add_day(struct watch *w, const struct comparison *comparisons, size_t nr);

/*
 * Keep the rows that grew against each day, by more than @above percent of all samples (negative:
 * by anything); the largest growth comes first.
 */
void watch_end(struct watch *w, double above);
void watch_free(struct watch *w);

#endif
