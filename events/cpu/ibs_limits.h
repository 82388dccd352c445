/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_limits.h - the counts that instruction-based sampling takes [IB-3]
 *
 * Here because who plans events and who programs them must agree; the module, which asks the CPU,
 * has the last word.
 */
#ifndef EVENTS_CPU_IBS_LIMITS_H
#define EVENTS_CPU_IBS_LIMITS_H

#define IBS_FETCH_COUNT_MIN	16	/* the CPU counts in sixteens */
#define IBS_OP_COUNT_MIN	144	/* less, and it does not stop again: 9 sixteens */
#define IBS_FETCH_COUNT_MAX	1048575	/* 16 bits of 16 each, and what is below */
#define IBS_OP_COUNT_MAX	134217727	/* 27 bits; the first CPUs: as fetches */

#endif
