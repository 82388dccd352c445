// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * encode.c - event selects
 *
 * OProfile's extra bits are at their positions in an event select, bits 18 and up.
 */
#include "events/encode.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SELECT_OTHERS 0x530000 /* user, kernel, interrupt, enable */
#define ARM_CODES 0xffff
#define EXTRA_IN_SELECT (EXTRA_EDGE | EXTRA_ANY | EXTRA_INV | 0xffu << EXTRA_CMASK_SHIFT)

static bool is_x86(const struct cpu_type *type)
{
	return !strncmp(type->name, "i386/", 5) || !strncmp(type->name, "x86-64/", 7);
}

uint64_t event_perf_config(const struct cpu_type *type, const struct event *event,
			   const struct mask_choice *mask)
{
	if (event->ext)
		return 0;
	if (!is_x86(type))
		return event->code;
	return (event->code & 0xff) | (event->code & 0xf00) << 24 |
	       (uint64_t)(mask->value & 0xff) << 8 | (mask->extra & EXTRA_IN_SELECT);
}

void event_from_config(const struct cpu_type *type, uint64_t config, uint64_t *ret_code,
		       uint32_t *ret_mask, uint32_t *ret_extra)
{
	if (!is_x86(type)) {
		*ret_code = config;
		*ret_mask = *ret_extra = 0;
		return;
	}
	*ret_code = (config & 0xff) | (config >> 24 & 0xf00);
	*ret_mask = config >> 8 & 0xff;
	*ret_extra = config & (EXTRA_IN_SELECT | EXTRA_PEBS);
	if (*ret_extra)
		*ret_extra |= EXTRA_NONE;
}

/* Only AMD's codes continue above bit 31. */
static uint64_t code_bits(const struct cpu_type *type)
{
	return !strncmp(type->name, "x86-64/", 7) ? 0xfff : 0xff;
}

uint64_t event_config_unknown(const struct cpu_type *type, uint64_t config)
{
	uint64_t known = ARM_CODES;

	if (is_x86(type))
		known = 0xffff | SELECT_OTHERS | EXTRA_IN_SELECT | EXTRA_PEBS |
			(code_bits(type) & 0xf00) << 24;
	return config & ~known;
}

bool event_is_encodable(const struct cpu_type *type, uint64_t code, uint64_t mask, uint32_t extra)
{
	if (!is_x86(type))
		return code <= ARM_CODES && !mask && !(extra & ~EXTRA_NONE);
	return code <= code_bits(type) && mask <= 0xff &&
	       !(extra & ~(EXTRA_IN_SELECT | EXTRA_PEBS | EXTRA_NONE));
}

bool event_raw_parse(const char *name, uint64_t *ret_config)
{
	size_t len = strlen(name);

	if (*name != 'r' || len < 2 || len > 17)
		return false;
	for (const char *p = name + 1; *p; p++)
		if (!isxdigit((unsigned char)*p))
			return false;
	*ret_config = strtoull(name + 1, NULL, 16);
	return true;
}
