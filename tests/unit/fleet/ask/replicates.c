// SPDX-License-Identifier: GPL-2.0-or-later
/* replicates.c - Student's quantiles from tables, and what samples of unlike hosts count */
#include "fleet/ask/replicates.h"

#include <math.h>
#include "tests/tap.h"

TEST(quantiles)
{
	static const struct {
		double freedom, risk, value;
	} table[] = {	/* R: qt(1 - risk / 2, freedom) */
		{ 1, 0.05, 12.7062 }, { 2, 0.05, 4.30265 }, { 10, 0.01, 3.16927 },
		{ 30, 0.001, 3.64596 }, { 1, 1e-6, 636619.77 }, { 5, 1e-6, 28.4785 },
		{ 1e6, 0.05, 1.95997 }, { 1e6, 1e-6, 4.89170 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		double t = student_quantile(table[i].freedom, table[i].risk);

		CHECK(fabs(t / table[i].value - 1) < 1e-4, "%g, %g: %.8g", table[i].freedom,
		      table[i].risk, t);
	}
}

/* Of hosts with these samples of a function, and 1000 of all. */
static double effect(const double *n, size_t hosts, double risk)
{
	struct replicates r = { .hosts = (double)hosts };

	for (size_t i = 0; i < hosts; i++) {
		r.n += n[i];
		r.t += 1000;
		r.nn += n[i] * n[i];
		r.nt += n[i] * 1000;
		r.tt += 1000 * 1000;
	}
	return replicates_effect(&r, replicates_wider((double)hosts, risk));
}

TEST(unlike_hosts_make_samples_count_less)
{
	const double same[] = { 100, 100, 100, 100 }, unlike[] = { 10, 10, 10, 370 };
	const double half[] = { 90, 110, 90, 110 };
	/* variance between hosts over that of chance, 90 for each host, times Student's width */
	double wider = student_quantile(3, 0.01) / student_quantile(1e6, 0.01);

	CHECK(effect(same, 4, 0.01) == 1, "%g", effect(same, 4, 0.01));
	CHECK(fabs(effect(half, 4, 0.01) / (4. / 3 * 400 / 360 * wider * wider) - 1) < 1e-9, "%g",
	      effect(half, 4, 0.01));
	CHECK(effect(unlike, 4, 0.01) > 300, "%g", effect(unlike, 4, 0.01));
	CHECK(isinf(effect(same, 1, 0.01)), "one host");
}

TEST_MAIN()
