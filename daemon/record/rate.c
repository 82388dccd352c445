// SPDX-License-Identifier: GPL-2.0-or-later
/* rate.c - see rate.h */
#include "daemon/record/rate.h"
#include "libutil/clock.h"
#include "libutil/count.h"

void rate_start(struct rate *r, struct session_counts *counts, uint64_t now_ns)
{
	rate_free(r);
	*r = (struct rate){ .before = *counts, .start_ns = now_ns };
}

bool rate_is_due(const struct rate *r, uint64_t now_ns)
{
	return r->start_ns && now_ns - r->start_ns >= NS_PER_SECOND;
}

void rate_measure(struct rate *r, const struct session_counts *counts, uint64_t now_ns)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < counts->nr_cpus; i++) {
		uint64_t before = i < r->before.nr_cpus ? r->before.cpu[i].received : 0;

		if (counts->cpu[i].received - before > most)
			most = counts->cpu[i].received - before;
	}
	r->per_second = count_scale(most, NS_PER_SECOND, 0, now_ns - r->start_ns);
	r->known = true;
	r->start_ns = 0;
}

void rate_free(struct rate *r)
{
	session_counts_free(&r->before);
	*r = (struct rate){ .known = false };
}
