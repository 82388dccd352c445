/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs.h - instruction-based sampling by the kernel's own PMUs
 *
 * Where no module can be loaded, the PMUs ibs_fetch and ibs_op sample, and their records carry the
 * registers as raw data. The same words are made of them as the module writes. [PC-60]
 */
#ifndef DAEMON_COLLECT_PERF_IBS_H
#define DAEMON_COLLECT_PERF_IBS_H

#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/ibs/config.h"
#include "daemon/collect/perf/counters.h"
#include "libutil/error.h"
#include "oprofilefs/op_abi.h"

/*
 * Their samples have a number of counter that no event has, and that tells the note which they
 * become: OP_IBS_FETCH or OP_IBS_OP.
 */
#define PERF_IBS_COUNTER(code)	(COLLECTOR_COUNTERS_MAX + (code))
#define PERF_IBS_CODE(counter)	((enum op_code)((counter) - COLLECTOR_COUNTERS_MAX))

/*
 * What @ibs asks for, of the machine whose /sys lies below @root ("": this one): PERF_IBS_MAX at
 * most, *ret_nr. -ENODEV, told in @e: its kernel or its CPU does not have that.
 */
#define PERF_IBS_MAX	2
int perf_ibs_make(const struct ibs_config *ibs, const char *root, struct perf_counter *ret,
		  unsigned int *ret_nr, struct op_error *e);

/* Words of a note after the address: of the longest. */
#define PERF_IBS_WORDS_MAX	OP_IBS_OP_WORDS

/*
 * The words that follow the address in a note @code, of a record's raw data. How many, or 0: the
 * data is too short for them, or @code is another. @branch_target: op samples have it; 0 where the
 * CPU does not tell.
 */
size_t perf_ibs_words(enum op_code code, bool branch_target, const void *raw, size_t size,
		      op_word ret[PERF_IBS_WORDS_MAX]);

#endif
