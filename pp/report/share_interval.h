/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share_interval.h - how far a share of samples may be off, because they are only samples
 *
 * A function's samples are a draw from all: another run of the very same program gives other
 * numbers. Rules: doc/opdiff.md [DS-1]..[DS-4].
 */
#ifndef PP_REPORT_SHARE_INTERVAL_H
#define PP_REPORT_SHARE_INTERVAL_H

#include <stdint.h>

struct interval {
	double low, high;
};

/*
 * Where the true share lies if @n of @total samples were seen; but for @risk, half of it on
 * either side. @total 0: anywhere from 0 to 1. 0 < @risk < 1.
 */
struct interval share_interval(uint64_t n, uint64_t total, double risk);

/* The same for how much greater the second share is than the first. */
struct interval share_change_interval(uint64_t n1, uint64_t total1, uint64_t n2, uint64_t total2,
				      double risk);

/*
 * How likely it is that samples of one and the same share fall so far apart or further, either way:
 * twice the smaller tail of Fisher's exact test, so it may be above 1.
 */
double share_change_chance(uint64_t n1, uint64_t total1, uint64_t n2, uint64_t total2);

#endif
