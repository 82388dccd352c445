/* SPDX-License-Identifier: GPL-2.0-or-later */
/* note.h - what is sampled in another way than was asked for */
#ifndef DAEMON_COLLECT_PERF_NOTE_H
#define DAEMON_COLLECT_PERF_NOTE_H

#include <stddef.h>
#include "daemon/collect/perf/callers.h"
#include "daemon/collect/perf/rings.h"

/* One sentence, about the first such thing; "" if there is none. */
void perf_note(const struct perf_rings *r, const struct perf_callers *k, char *note, size_t size);

#endif
