// SPDX-License-Identifier: GPL-2.0-or-later
/* buffer_sizes.c - limits and defaults of the three buffer sizes of the module */
#include <errno.h>
#include <inttypes.h>
#include "control/opcontrol/buffer_sizes.h"
#include "libutil/number.h"
#include "oprofilefs/op_abi.h"

const struct buffer_kind buffer_kinds[NR_BUFFERS] = {
	[BUFFER_EVENTS] = { "buffer-size", "buffer_size",
			    OP_BUFFER_SIZE_MIN, OP_BUFFER_SIZE_MAX, OP_BUFFER_SIZE },
	[BUFFER_WATERSHED] = { "buffer-watershed", "buffer_watershed",
			       OP_BUFFER_WATERSHED_MIN, OP_BUFFER_WATERSHED_MAX,
			       OP_BUFFER_WATERSHED },
	[BUFFER_CPU] = { "cpu-buffer-size", "cpu_buffer_size",
			 OP_CPU_BUFFER_SIZE_MIN, OP_CPU_BUFFER_SIZE_MAX, OP_CPU_BUFFER_SIZE },
};

int buffer_size_parse(enum buffer_id id, const char *text, uint64_t *ret, struct op_error *e)
{
	const struct buffer_kind *kind = &buffer_kinds[id];
	uint64_t size;

	if (number_parse_range(text, 0, kind->max, &size) || (size && size < kind->min))
		return op_error_set(e, -EINVAL, "invalid size '%s': expected %" PRIu64 " to "
				    "%" PRIu64 ", or 0 for the default", text, kind->min,
				    kind->max);
	*ret = size;
	return 0;
}

/*
 * A sample without a stack takes about 4 words, each caller 2, and some more if it is in another
 * image. Few stacks are as deep as the limit, so the factor does not grow above 120 callers.
 * [CC-50]
 */
static uint64_t factor(uint64_t depth)
{
	return depth < 120 ? 1 + (depth + 7) / 8 : 16;
}

uint64_t buffer_size_used(const uint64_t sizes[NR_BUFFERS], enum buffer_id id, uint64_t depth)
{
	if (sizes[id])
		return sizes[id];
	if (id == BUFFER_WATERSHED && sizes[BUFFER_EVENTS])
		return buffer_kinds[id].standard;
	return buffer_kinds[id].standard * factor(depth);
}

int buffer_sizes_check(const uint64_t sizes[NR_BUFFERS], uint64_t depth, struct op_error *e)
{
	uint64_t size = buffer_size_used(sizes, BUFFER_EVENTS, depth);
	uint64_t watershed = buffer_size_used(sizes, BUFFER_WATERSHED, depth);

	if (watershed < size)
		return 0;
	return op_error_set(e, -EINVAL, "--buffer-watershed=%" PRIu64 "%s must be smaller than "
			    "--buffer-size=%" PRIu64 "%s", watershed,
			    sizes[BUFFER_WATERSHED] ? "" : " (the default)", size,
			    sizes[BUFFER_EVENTS] ? "" : " (the default)");
}
