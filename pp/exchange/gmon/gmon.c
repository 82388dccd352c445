/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.c - write a histogram and arcs in gprof's format
 *
 * A bin has 16 bits. gprof adds up histograms of the same addresses, so larger counts are
 * distributed over several histograms.
 */
#include "pp/exchange/gmon/gmon.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define BINS_MAX	(UINT32_C(1) << 28)	/* 512 MB of code, more than any binary has */
#define ALL_BINS_MAX	(UINT32_C(1) << 29)	/* of all histograms */

enum { TAG_HISTOGRAM = 0, TAG_ARC = 1 };

struct histogram {
	uint64_t low;
	unsigned int width;			/* bytes of code in a bin */
	uint64_t nr_bins;
};

/* gprof's own unit is 2 bytes. The original uses 8 if all addresses are multiples of 4. */
static unsigned int bin_width(const struct gmon *g)
{
	for (size_t i = 0; i < g->nr_samples; i++)
		if (g->samples[i].address % 4)
			return 2;
	return g->compat ? 8 : 2;
}

static struct histogram histogram_of(const struct gmon *g)
{
	struct histogram h = { .low = g->samples[0].address, .width = bin_width(g) };

	h.nr_bins = (g->samples[g->nr_samples - 1].address - h.low) / h.width + 1;
	return h;
}

int gmon_check(const struct gmon *g, struct op_error *e)
{
	struct histogram h = histogram_of(g);
	uint64_t last = g->samples[g->nr_samples - 1].address;

	if (h.nr_bins > BINS_MAX || h.low + h.nr_bins * h.width < h.low ||
	    (!g->is_64 && last > UINT32_MAX - h.width))
		return op_error_set(e, -EFBIG, "samples from 0x%" PRIx64 " to 0x%" PRIx64
				    " are too far apart for a histogram", h.low, last);
	return 0;
}

static void put(const struct gmon *g, uint64_t n, unsigned int size, FILE *out)
{
	unsigned char bytes[8];
	bool is_big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != g->is_swapped;

	for (unsigned int i = 0; i < size; i++)
		bytes[is_big ? size - 1 - i : i] = (unsigned char)(n >> 8 * i);
	fwrite(bytes, size, 1, out);
}

static void put_address(const struct gmon *g, uint64_t address, FILE *out)
{
	put(g, address, g->is_64 ? 8 : 4, out);
}

static void write_histogram_header(const struct gmon *g, const struct histogram *h, FILE *out)
{
	static const char dimension[15] = "samples";

	fputc(TAG_HISTOGRAM, out);
	put_address(g, h->low, out);
	put_address(g, h->low + h->nr_bins * h->width, out);
	put(g, h->nr_bins, 4, out);
	put(g, 1, 4, out);			/* samples per "samples" */
	fwrite(dimension, sizeof(dimension), 1, out);
	fputc('1', out);			/* its abbreviation: none */
}

/* The bin of sample @i. *ret: the sum of all its samples, which end before *ret_next. */
static uint64_t sum_bin(const struct gmon *g, const struct histogram *h, size_t i,
			size_t *ret_next, uint64_t *ret)
{
	uint64_t bin = (g->samples[i].address - h->low) / h->width, sum = 0;

	for (; i < g->nr_samples && (g->samples[i].address - h->low) / h->width == bin; i++)
		sum += g->samples[i].count;
	*ret_next = i;
	*ret = sum;
	return bin;
}

/* The part of @sum in histogram @round. */
static uint64_t part_of(uint64_t sum, uint64_t round)
{
	uint64_t done = round * UINT16_MAX;

	return sum <= done ? 0 : sum - done > UINT16_MAX ? UINT16_MAX : sum - done;
}

static void write_bins(const struct gmon *g, const struct histogram *h, uint64_t round, FILE *out)
{
	uint64_t at = 0, sum;

	for (size_t i = 0; i < g->nr_samples;) {
		uint64_t bin = sum_bin(g, h, i, &i, &sum);

		for (; at < bin; at++)
			put(g, 0, 2, out);
		put(g, part_of(sum, round), 2, out);
		at++;
	}
}

uint64_t gmon_write(const struct gmon *g, FILE *out)
{
	struct histogram h = histogram_of(g);
	uint64_t most = 0, sum, lost = 0, rounds, rounds_max;

	for (size_t i = 0; i < g->nr_samples;) {
		sum_bin(g, &h, i, &i, &sum);
		most = sum > most ? sum : most;
	}
	rounds = most ? (most - 1) / UINT16_MAX + 1 : 1;
	rounds_max = g->compat || h.nr_bins > ALL_BINS_MAX ? 1 : ALL_BINS_MAX / h.nr_bins;
	rounds = rounds > rounds_max ? rounds_max : rounds;
	for (size_t i = 0; i < g->nr_samples;) {
		sum_bin(g, &h, i, &i, &sum);
		lost += sum > rounds * UINT16_MAX ? sum - rounds * UINT16_MAX : 0;
	}
	fwrite("gmon", 4, 1, out);
	put(g, 1, 4, out);			/* version */
	put(g, 0, 8, out);
	put(g, 0, 4, out);
	for (uint64_t round = 0; round < rounds; round++) {
		write_histogram_header(g, &h, out);
		write_bins(g, &h, round, out);
	}
	for (size_t i = 0; i < g->nr_arcs; i++) {
		const struct gmon_arc *arc = &g->arcs[i];

		fputc(TAG_ARC, out);
		put_address(g, arc->from, out);
		put_address(g, arc->to, out);
		put(g, arc->count > UINT32_MAX ? UINT32_MAX : arc->count, 4, out);
	}
	return lost;
}

void gmon_free(struct gmon *g)
{
	free(g->samples);
	free(g->arcs);
	*g = (struct gmon){ 0 };
}
