/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buffer_sizes.h - the sizes of the module's buffers: what they may be, and what 0 stands for
 *
 * Limits and defaults are the module's own (op_abi.h), so that a size which it would refuse
 * at the start is refused when it is given.
 */
#ifndef CONTROL_OPCONTROL_BUFFER_SIZES_H
#define CONTROL_OPCONTROL_BUFFER_SIZES_H

#include <stdint.h>
#include "libutil/error.h"

enum buffer_id { BUFFER_EVENTS, BUFFER_WATERSHED, BUFFER_CPU, NR_BUFFERS };

struct buffer_kind {
	const char *option;		/* of opcontrol */
	const char *file;		/* of oprofilefs */
	uint64_t min, max, standard;	/* words; BUFFER_CPU: samples */
};
extern const struct buffer_kind buffer_kinds[NR_BUFFERS];

/* 0, the default, or a number within the limits. -EINVAL, with half a sentence in @e. */
int buffer_size_parse(enum buffer_id id, const char *text, uint64_t *ret, struct op_error *e);

/*
 * What is written to the module: where @sizes has 0 its default (TRP-17), times what stacks of
 * @depth callers need, since each sample brings its own. A watershed beside a buffer whose size
 * was chosen keeps the plain default.
 */
uint64_t buffer_size_used(const uint64_t sizes[NR_BUFFERS], enum buffer_id id, uint64_t depth);

/* Whether they go together, defaults included. -EINVAL. */
int buffer_sizes_check(const uint64_t sizes[NR_BUFFERS], uint64_t depth, struct op_error *e);

#endif
