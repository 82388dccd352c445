// SPDX-License-Identifier: GPL-2.0-or-later
/* replicates.c - see replicates.h */
#include "fleet/ask/replicates.h"

#include <math.h>

#define STEPS	2000		/* of the integral, even */
#define BISECTIONS	200

/*
 * log of the integral of cos(x)^@power from @low to pi / 2. With t = sqrt(f) tan(x) that is the
 * tail of Student's distribution, up to a factor, for power = f - 1. By Simpson's rule over the
 * logarithm of what is left to pi / 2, because the tail may be 1e-12.
 */
static double log_tail(double power, double low)
{
	double width = 40 / (power + 1) + 12 / sqrt(power + 1);	/* what is beyond is nothing */
	double a = log(M_PI_2 - low), b = a - width, sum = 0, first = 0;

	for (int i = 0; i <= STEPS; i++) {
		double y = a + (b - a) * i / STEPS, left = exp(y);
		double value = power * log(sin(left)) + y;
		int weight = !i || i == STEPS ? 1 : i % 2 ? 4 : 2;

		if (!i)
			first = value;
		sum += weight * exp(value - first);
	}
	return first + log(sum * width / STEPS / 3);
}

double student_quantile(double freedom, double risk)
{
	double all = log_tail(freedom - 1, 0), low = 0, high = M_PI_2;

	/* the chance of |T| > t is the tail from atan(t / sqrt(f)), divided by that from 0 */
	for (int i = 0; i < BISECTIONS && high - low > 1e-15; i++) {
		double middle = (low + high) / 2;

		if (log_tail(freedom - 1, middle) - all > log(risk))
			low = middle;
		else
			high = middle;
	}
	return sqrt(freedom) * tan(low);
}

double replicates_wider(double hosts, double risk)
{
	return hosts < 2 ? INFINITY
			 : student_quantile(hosts - 1, risk) / student_quantile(1e6, risk);
}

double replicates_effect(const struct replicates *r, double wider)
{
	double p = r->n / r->t, chance = p * (1 - p) * r->t, spread;

	if (r->hosts < 2)
		return INFINITY;
	if (!(chance > 0))
		return 1;
	/* of the sum of n: hosts' deviations from what their samples let expect */
	spread = r->hosts / (r->hosts - 1) * (r->nn - 2 * p * r->nt + p * p * r->tt);
	return fmax(1, spread / chance * wider * wider);
}
