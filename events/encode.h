/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - convert an event and its unit mask to a raw code of the hardware, and back
 */
#ifndef EVENTS_ENCODE_H
#define EVENTS_ENCODE_H

#include "events/table/table.h"
#include "events/table/unit_mask.h"

/*
 * perf_event_attr.config of a PERF_TYPE_RAW event: on x86 the event select without privilege and
 * enable bits (code 0-7 and 32-35, mask 8-15, edge 18, any 21, inv 23, cmask 24-31), on Arm the
 * code. EXTRA_PEBS is not in it: it becomes attr.precise_ip. 0 for extended events (IBS).
 */
uint64_t event_perf_config(const struct cpu_type *type, const struct event *event,
			   const struct mask_choice *mask);

/* The reverse. Bit 19 becomes EXTRA_PEBS. */
void event_from_config(const struct cpu_type *type, uint64_t config, uint64_t *ret_code,
		       uint32_t *ret_mask, uint32_t *ret_extra);

/*
 * Bits of @config that @type's event selects do not have and that would be lost. Excluded are
 * privilege, interrupt and enable (16, 17, 20, 22 on x86), which are set from elsewhere.
 */
uint64_t event_config_unknown(const struct cpu_type *type, uint64_t config);

/* Whether event_perf_config() can represent them. */
bool event_is_encodable(const struct cpu_type *type, uint64_t code, uint64_t mask, uint32_t extra);

/* Parse a raw code as perf writes it, "r01c2". False: not a raw code. [EV-32] */
bool event_raw_parse(const char *name, uint64_t *ret_config);

#endif
