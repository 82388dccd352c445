/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share_interval.c - exact binomial limits (Clopper and Pearson), and limits of a change
 *
 * Limits by the normal distribution are wrong for typical rows of a profile: counts of 0 to 20, and
 * levels far out in the tails, because thousands of symbols share the risk. Exact limits hold
 * there. Limits of a difference are combined by adding the squares of the distances, as Newcombe
 * (1998) does with other limits. With millions of samples summing the tail would be slow, and the
 * normal distribution is correct to more digits than are printed.
 */
#include "pp/report/share_interval.h"

#include <math.h>

#define MOST_STEPS	60
#define MANY		1e6	/* samples on either side; above, use the normal distribution */

/*
 * log of the chance of @n or more out of @total at @share, which is below n / total, so that the
 * terms decrease. *ret_sum is the sum of all terms divided by the first.
 */
static double log_tail(double n, double total, double share, double *ret_sum)
{
	double odds = share / (1 - share), sum = 1, term = 1;
	double first = lgamma(total + 1) - lgamma(n + 1) - lgamma(total - n + 1) +
		       n * log(share) + (total - n) * log1p(-share);

	for (double k = n; k < total && term > sum * 1e-15; k++) {
		term *= (total - k) / (k + 1) * odds;
		sum += term;
	}
	*ret_sum = sum;
	return first + log(sum);
}

/* The share at which @n or more of @total has the chance @risk: Newton steps within bounds. */
static double low_share(double n, double total, double risk)
{
	double low = -INFINITY, high = log(n / total), at, sum;

	if (n == 0)
		return 0;
	if (n == total)
		return exp(log(risk) / n);
	at = high - 1 / sqrt(n);
	for (int i = 0; i < MOST_STEPS; i++) {
		double off = log_tail(n, total, exp(at), &sum) - log(risk), step;

		if (off > 0)
			high = at;
		else
			low = at;
		/* the slope by the logarithm of the share is n times the first term */
		step = off * sum / n;
		if (fabs(step) < 1e-12)
			break;
		at -= step;
		if (at >= high || at <= low)
			at = isinf(low) ? high - 1 : (low + high) / 2;
	}
	return exp(at);
}

/* The number of standard deviations beyond which the normal distribution has @risk. */
static double deviations(double risk)
{
	double low = 0, high = 40;

	while (high - low > 1e-9) {
		double middle = (low + high) / 2;

		if (erfc(middle / M_SQRT2) / 2 > risk)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Wilson's limits. */
static struct interval interval_of_many(double n, double total, double risk)
{
	double z = deviations(risk / 2), p = n / total, scale = 1 + z * z / total;
	double middle = (p + z * z / (2 * total)) / scale;
	double width = z * sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / scale;

	return (struct interval){ middle - width, middle + width };
}

struct interval share_interval(uint64_t n, uint64_t total, double risk)
{
	if (!total)
		return (struct interval){ 0, 1 };
	if ((double)n > MANY && (double)(total - n) > MANY)
		return interval_of_many((double)n, (double)total, risk);
	return (struct interval){
		low_share((double)n, (double)total, risk / 2),
		1 - low_share((double)(total - n), (double)total, risk / 2),
	};
}

struct interval share_change_interval(uint64_t n1, uint64_t total1, uint64_t n2, uint64_t total2,
				      double risk)
{
	struct interval a = share_interval(n1, total1, risk), b = share_interval(n2, total2, risk);
	double p1 = total1 ? (double)n1 / (double)total1 : 0;
	double p2 = total2 ? (double)n2 / (double)total2 : 0;

	return (struct interval){
		p2 - p1 - hypot(p2 - b.low, a.high - p1),
		p2 - p1 + hypot(b.high - p2, p1 - a.low),
	};
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The chance that of @n samples @k or more are among @total2, the others among @total1. */
static double split_tail(double n, double k, double total1, double total2)
{
	double sum = 1, term = 1;
	double first = log_choose(total2, k) + log_choose(total1, n - k) -
		       log_choose(total1 + total2, n);

	for (; k < n && k < total2 && term > sum * 1e-15; k++) {
		term *= (total2 - k) * (n - k) / ((k + 1) * (total1 - n + k + 1));
		sum += term;
	}
	return exp(first) * sum;
}

/* The normal test for two shares of many samples, with continuity correction. */
static double chance_of_many(double a, double t1, double b, double t2)
{
	double p = (a + b) / (t1 + t2);
	double off = fabs(b / t2 - a / t1) - (1 / t1 + 1 / t2) / 2;

	return off <= 0 ? 1 : erfc(off / sqrt(2 * p * (1 - p) * (1 / t1 + 1 / t2)));
}

double share_change_chance(uint64_t n1, uint64_t total1, uint64_t n2, uint64_t total2)
{
	double a = (double)n1, b = (double)n2, t1 = (double)total1, t2 = (double)total2;

	if (!total1 || !total2 || a * t2 == b * t1)
		return 1;
	if (a > MANY && b > MANY && t1 - a > MANY && t2 - b > MANY)
		return chance_of_many(a, t1, b, t2);
	return 2 * (b * t1 > a * t2 ? split_tail(a + b, b, t1, t2) : split_tail(a + b, a, t2, t1));
}
