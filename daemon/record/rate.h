/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rate.h - how fast samples come in the first second, of which users can be warned early */
#ifndef DAEMON_RECORD_RATE_H
#define DAEMON_RECORD_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/session.h"

struct rate {
	struct session_counts before;	/* at the start */
	uint64_t start_ns;		/* of that; monotonic; 0: not started, or measured */
	bool known;
	uint64_t per_second;		/* samples of the CPU that had the most of them */
};

/* Begin to measure. @counts: now, received since any time before; takes ownership. */
void rate_start(struct rate *r, struct session_counts *counts, uint64_t now_ns);
/* Whether the first second is over and rate_measure() is to be called. */
bool rate_is_due(const struct rate *r, uint64_t now_ns);
void rate_measure(struct rate *r, const struct session_counts *counts, uint64_t now_ns);
void rate_free(struct rate *r);

#endif
