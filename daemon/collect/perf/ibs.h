/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs.h - instruction-based sampling through the kernel's PMUs
 *
 * The PMUs ibs_fetch and ibs_op add the registers to their records as raw data, which is converted
 * to the same words that the module writes. [PC-60]
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
 * The counter number of their samples, which no event has, encodes the note to write: OP_IBS_FETCH
 * or OP_IBS_OP.
 */
#define PERF_IBS_COUNTER(code)	(COLLECTOR_COUNTERS_MAX + (code))
#define PERF_IBS_CODE(counter)	((enum op_code)((counter) - COLLECTOR_COUNTERS_MAX))

/*
 * The counters of @ibs on the machine whose /sys is below @root ("": this one): *ret_nr of them, at
 * most PERF_IBS_MAX. -ENODEV, with @e: its kernel or CPU does not support it.
 */
#define PERF_IBS_MAX	2
int perf_ibs_make(const struct ibs_config *ibs, const char *root, struct perf_counter *ret,
		  unsigned int *ret_nr, struct op_error *e);

/* Words after the address in the longest note. */
#define PERF_IBS_WORDS_MAX	OP_IBS_OP_WORDS

/*
 * Decode a record's raw data into the words that follow the address in note @code. Returns their
 * number, or 0 if the data is too short or @code is another note. @branch_target: op notes include
 * the target, 0 if the CPU did not record it.
 */
size_t perf_ibs_words(enum op_code code, bool branch_target, const void *raw, size_t size,
		      op_word ret[PERF_IBS_WORDS_MAX]);

#endif
