/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replicates.h - shares of samples that come from several hosts
 *
 * Samples of one host are not independent: hosts differ by more than chance. So the samples of a
 * function count for fewer, by as much as its shares differ from host to host (the design effect of
 * a ratio estimated from clusters), and opdiff's statistics are used with these: doc/fleet.md.
 */
#ifndef FLEET_ASK_REPLICATES_H
#define FLEET_ASK_REPLICATES_H

#include <stdint.h>

/* Of a function, over hosts: n are its samples, t those of all functions. */
struct replicates {
	double hosts;
	double n, t;			/* sums */
	double nn, nt, tt;		/* sums of their products */
};

/*
 * By what samples are to be divided so that they are as sure as independent ones, at least 1;
 * @wider: replicates_wider() of these hosts. Infinite with one host.
 */
double replicates_effect(const struct replicates *r, double wider);

/* By what Student's distribution is wider than the normal one: few hosts may look alike. */
double replicates_wider(double hosts, double risk);

/* How far from 0 a value of Student's distribution with @freedom >= 1 is with the chance @risk. */
double student_quantile(double freedom, double risk);

#endif
