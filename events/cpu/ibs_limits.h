/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_limits.h - valid counts for instruction-based sampling [IB-3]
 *
 * Shared by the code that plans events and the code that programs them. The module, which reads the
 * CPU's capabilities, decides in the end.
 */
#ifndef EVENTS_CPU_IBS_LIMITS_H
#define EVENTS_CPU_IBS_LIMITS_H

#define IBS_FETCH_COUNT_MIN	16	/* the CPU counts in sixteens */
#define IBS_OP_COUNT_MIN	144	/* 9 sixteens; with less it does not stop again */
#define IBS_FETCH_COUNT_MAX	1048575	/* 16 bits of 16 each, plus the rest */
#define IBS_OP_COUNT_MAX	134217727	/* 27 bits; on the first CPUs as for fetches */

#endif
