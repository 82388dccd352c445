/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread_sample.h - the event of samples that a process takes of its own threads [SM-69] */
#ifndef LIBDB_SESSION_THREAD_SAMPLE_H
#define LIBDB_SESSION_THREAD_SAMPLE_H

#define THREAD_SAMPLE		"THREAD_SAMPLE"
#define THREAD_SAMPLE_NS	1000	/* the unit of its count, which is in microseconds */

/* Unit masks: the clock. */
#define THREAD_SAMPLE_WALL	0
#define THREAD_SAMPLE_CPU	1

#define THREAD_SAMPLE_CPU_TYPE	4	/* in headers: OProfile's "timer", in both versions */
#define THREAD_SAMPLE_COLLECTOR	"sampler"	/* in stats/session */

#endif
