/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share_interval.h - confidence intervals of shares of samples, and of their changes
 *
 * The samples of a function are a random draw: another run of the same program gives other
 * numbers. Rules: doc/opdiff.md [DS-1]..[DS-4].
 */
#ifndef PP_REPORT_SHARE_INTERVAL_H
#define PP_REPORT_SHARE_INTERVAL_H

#include <stdint.h>

struct interval {
	double low, high;
};

/*
 * The interval of the true share if @n of @total samples were seen. It is outside with at most
 * @risk, half of that on either side. @total 0: from 0 to 1. 0 < @risk < 1.
 */
struct interval share_interval(uint64_t n, uint64_t total, double risk);

/* The same for the second share minus the first. */
struct interval share_change_interval(uint64_t n1, uint64_t total1, uint64_t n2, uint64_t total2,
				      double risk);

/*
 * The chance that samples of equal shares differ that much or more, in either direction: twice the
 * smaller tail of Fisher's exact test, so it may be above 1.
 */
double share_change_chance(uint64_t n1, uint64_t total1, uint64_t n2, uint64_t total2);

#endif
