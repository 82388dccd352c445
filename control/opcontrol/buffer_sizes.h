/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buffer_sizes.h - limits and defaults of the sizes of the module's buffers
 *
 * They are those of the module (op_abi.h), so that a size that the module would refuse is refused
 * when it is set up.
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

/* 0, the default, or a number within the limits. -EINVAL. */
int buffer_size_parse(enum buffer_id id, const char *text, uint64_t *ret, struct op_error *e);

/*
 * The size to write to the module. 0 in @sizes means the default (TRP-17), multiplied by what
 * stacks of @depth callers need. If the size of the event buffer is set, the default of its
 * watershed is not multiplied.
 */
uint64_t buffer_size_used(const uint64_t sizes[NR_BUFFERS], enum buffer_id id, uint64_t depth);

/* Whether the watershed is smaller than the buffer, defaults included. -EINVAL. */
int buffer_sizes_check(const uint64_t sizes[NR_BUFFERS], uint64_t depth, struct op_error *e);

#endif
