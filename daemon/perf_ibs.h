/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_ibs.h - instruction-based sampling by the kernel's own PMUs
 *
 * Where no module can be loaded, the PMUs ibs_fetch and ibs_op sample, and their records carry the
 * registers as raw data. The same words are made of them as the module writes. [PC-60]
 */
#ifndef PERF_IBS_H
#define PERF_IBS_H

#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "ibs.h"
#include "op_abi.h"

/* What perf_event_attr is to say of one of the two. */
struct perf_ibs_event {
	enum op_code code;		/* OP_IBS_FETCH or OP_IBS_OP */
	uint32_t type;
	uint64_t config, period;
};

/*
 * What @ibs asks for, of the machine whose /sys lies below @root ("": this one): *ret_nr of them.
 * -ENODEV, told in @e: its kernel or its CPU does not have that.
 */
int perf_ibs_make(const struct ibs_config *ibs, const char *root, struct perf_ibs_event ret[2],
		  unsigned int *ret_nr, struct op_error *e);

/* Words of a note after the address: of the longest. */
#define PERF_IBS_WORDS_MAX	OP_IBS_OP_WORDS

/*
 * The words that follow the address in a note @code, of a record's raw data. How many, or 0: the
 * data is too short for them. @branch_target: op samples have it; 0 where the CPU does not tell.
 */
size_t perf_ibs_words(enum op_code code, bool branch_target, const void *raw, size_t size,
		      op_word ret[PERF_IBS_WORDS_MAX]);

#endif
