/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - opdiff reports false changes no more often than it promises, and finds real ones
 *
 * The promise is computed, not sampled: given the number of samples of a row in both profiles
 * together, their split between the profiles is hypergeometric, whatever the row's share is.
 */
#include "tests/tap.h"

#include <math.h>
#include "libutil/xalloc.h"
#include "pp/report/compare.h"
#include "pp/report/diff.h"

static uint64_t random_state = 88172645463325252u;

static double next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / (double)(1ull << 53);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-4 * (fabs(a) + fabs(b)) + 1e-9;
}

/* Against published tables and exact arithmetic. */
TEST(limits_of_a_share)
{
	static const struct {
		uint64_t n, total;
		double risk, low, high;
	} known[] = {
		{ 0, 10, .05, 0, .30850 },	  { 5, 10, .05, .18709, .81291 },
		{ 10, 10, .05, .69150, 1 },	  { 5, 100, .05, .016432, .11283 },
		{ 0, 100, .05, 0, .036217 },	  { 1, 1000000, .05, 2.53178e-8, 5.57163e-6 },
		{ 20, 1000, .01, .0103984, .0344138 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct interval got = share_interval(known[i].n, known[i].total, known[i].risk);

		CHECK(near(got.low, known[i].low) && near(got.high, known[i].high),
		      "%zu: %g to %g", i, got.low, got.high);
	}
}

static bool is_change(uint64_t n1, uint64_t t1, uint64_t n2, uint64_t t2, double risk)
{
	struct interval i = share_change_interval(n1, t1, n2, t2, risk);

	return share_change_chance(n1, t1, n2, t2) <= risk && (i.low > 0 || i.high < 0);
}

static double choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* How often @n samples of one share are reported as a change. */
static double false_alarms(double n, double t1, double t2, double risk)
{
	double sum = 0;

	for (double k = 0; k <= n; k++)
		if (k <= t2 && n - k <= t1 && is_change(n - k, t1, k, t2, risk))
			sum += exp(choose(t2, k) + choose(t1, n - k) - choose(t1 + t2, n));
	return sum;
}

TEST(no_false_alarms)
{
	static const double risks[] = { .05, 1e-3, 1e-5, 1e-7 };
	static const double ratios[] = { 1, 2, .5, 10, .1, 100, .01 };

	for (size_t r = 0; r < 4; r++)
		for (size_t q = 0; q < 7; q++)
			for (double n = 1; n < 500; n = floor(n * 1.15) + 1) {
				double got = false_alarms(n, 10000, 10000 * ratios[q], risks[r]);

				CHECK(got <= risks[r] * 1.000001, "%g of %g: %g samples, ratio %g",
				      got, risks[r], n, ratios[q]);
			}
}

#define SYMBOLS	400

struct made {
	struct report_image image;
	struct row_list lists[2];
};

/* Draw @nr samples from @shares, whose sum is 1. */
static void draw(struct made *m, int which, const double *shares, size_t nr)
{
	struct row_list *list = &m->lists[which];
	double sums[SYMBOLS], sum = 0;
	uint64_t counts[SYMBOLS] = { 0 };

	for (size_t i = 0; i < SYMBOLS; i++)
		sums[i] = sum += shares[i];
	for (size_t i = 0; i < nr; i++) {
		double at = next_random() * sum;
		size_t low = 0, high = SYMBOLS - 1;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (sums[middle] <= at)
				low = middle + 1;
			else
				high = middle;
		}
		counts[low]++;
	}
	rows_init(list, 1);
	for (size_t i = 0; i < SYMBOLS; i++) {
		char *name = xasprintf("f%zu", i);

		if (counts[i])
			rows_add(list, &m->image, &m->image, rows_text(list, name), i)->counts[0] =
				counts[i];
		free(name);
	}
	rows_total(list);
}

/*
 * Compare a long-tailed profile of @nr1 samples with one of @nr2 in which symbol 5 has @factor
 * times its share. Returns how many rows are reported; *ret_found: symbol 5 is the first of them.
 */
static size_t compare_once(size_t nr1, size_t nr2, double factor, bool *ret_found)
{
	const struct compare_options options = { .risk = .05 };
	struct made m = { .image = { .path = (char[]){ "/a" }, .name = (char[]){ "/a" } } };
	double shares[SYMBOLS];
	struct comparison c;
	size_t nr;

	for (size_t i = 0; i < SYMBOLS; i++)
		shares[i] = pow(.97, (double)i);
	draw(&m, 0, shares, nr1);
	shares[5] *= factor;
	draw(&m, 1, shares, nr2);
	diff_rows(&m.lists[0], &m.lists[1], false);
	comparison_make(&m.lists[0], &m.lists[1], 0, &options, &c);
	nr = c.nr_changed;
	CHECK(c.nr == nr, "only what changed is shown");
	*ret_found = c.nr && !strcmp(c.rows[0].row->name, "f5") && c.rows[0].direction == 1;
	comparison_free(&c);
	rows_free(&m.lists[1]);
	rows_free(&m.lists[0]);
	return nr;
}

/* Nothing changed: at most 5 % of runs report a change; allow 4 standard deviations more. */
TEST(nothing_changed)
{
	static const size_t sizes[][2] = { { 2000, 2000 }, { 20000, 3000 }, { 500, 20000 } };
	enum { RUNS = 300 };

	for (size_t s = 0; s < 3; s++) {
		size_t wrong = 0;
		bool found;

		for (size_t i = 0; i < RUNS; i++)
			wrong += compare_once(sizes[s][0], sizes[s][1], 1, &found) > 0;
		printf("# %zu and %zu samples: %zu of %d runs\n", sizes[s][0], sizes[s][1], wrong,
		       RUNS);
		CHECK(wrong <= 30, "%zu of %d", wrong, RUNS);
	}
}

/* A function of 2.6 % that takes twice its share is found in nearly every pair of 5000 samples. */
TEST(a_change_is_found)
{
	size_t right = 0;

	for (size_t i = 0; i < 100; i++) {
		bool found;

		compare_once(5000, 5000, 2, &found);
		right += found;
	}
	printf("# found in %zu of 100\n", right);
	CHECK(right >= 95, "%zu of 100", right);
}

TEST(no_samples)
{
	struct interval i = share_change_interval(0, 0, 3, 10, .05);

	CHECK(i.low < 0 && i.high > 0, "%g to %g", i.low, i.high);
	CHECK(share_change_chance(0, 0, 3, 10) >= 1, "nothing to compare with");
	CHECK(share_change_chance(3, 3, 4, 4) >= 1, "all in one row, twice");
	CHECK(share_change_chance(0, 5, 0, 7) >= 1, "none");
}

/* Results are continuous at the size where the method changes. */
TEST(methods_agree)
{
	struct interval few = share_interval(1000000, 4000000, 1e-5);
	struct interval many = share_interval(1000001, 4000004, 1e-5);
	double before = share_change_chance(1000000, 4000000, 1009000, 4000000);
	double after = share_change_chance(1000001, 4000004, 1009001, 4000004);

	CHECK(fabs(few.low - many.low) < 1e-6 && fabs(few.high - many.high) < 1e-6,
	      "%.9f to %.9f, %.9f to %.9f", few.low, few.high, many.low, many.high);
	CHECK(fabs(log(before / after)) < 0.01, "%g %g", before, after);
}

/* As many samples as 10,000 saturated counts. */
TEST(huge_counts_are_fast)
{
	for (int i = 0; i < 20000; i++) {
		uint64_t n = UINT32_MAX - i, first = 10000ull * UINT32_MAX, second = first - n;
		struct interval c = share_change_interval(UINT32_MAX, first, n, second, 1e-9);

		CHECK(c.low < c.high, "%g to %g", c.low, c.high);
		CHECK(share_change_chance(UINT32_MAX, first, n, second) <= 1, "no chance");
	}
}

TEST(huge_counts)
{
	struct interval i = share_change_interval(1ull << 38, 1ull << 40, 1ull << 38,
						  1ull << 40, 1e-6);

	CHECK(i.low < 0 && i.high > 0 && i.high < 1e-4, "%g to %g", i.low, i.high);
	CHECK(is_change(1ull << 38, 1ull << 40, (1ull << 38) + (1ull << 30), 1ull << 40, 1e-6),
	      "a thousandth of it is a change");
}

TEST_MAIN()
