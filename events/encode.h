/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - an event and its unit mask as the number that the hardware takes, and back
 */
#ifndef EVENTS_ENCODE_H
#define EVENTS_ENCODE_H

#include "events/table/table.h"
#include "events/table/unit_mask.h"

/*
 * perf_event_attr.config of a PERF_TYPE_RAW event: on x86 the event select without privilege and
 * enable bits (code 0-7 and 32-35, mask 8-15, edge 18, any 21, inv 23, cmask 24-31), on Arm the
 * code. EXTRA_PEBS is not in it: it asks for attr.precise_ip. Extended events (IBS) have none: 0.
 */
uint64_t event_perf_config(const struct cpu_type *type, const struct event *event,
			   const struct mask_choice *mask);

/* The other way round: what @config selects. Bit 19 asks for EXTRA_PEBS. */
void event_from_config(const struct cpu_type *type, uint64_t config, uint64_t *ret_code,
		       uint32_t *ret_mask, uint32_t *ret_extra);

/*
 * Bits of @config that mean nothing here, and would be lost: what @type's event selects do not
 * have. Not among them are those that say who is sampled, and that it interrupts and is enabled
 * (16, 17, 20, 22 on x86), which are said otherwise.
 */
uint64_t event_config_unknown(const struct cpu_type *type, uint64_t config);

/* Whether event_perf_config() loses nothing of them. */
bool event_is_encodable(const struct cpu_type *type, uint64_t code, uint64_t mask, uint32_t extra);

/* "r01c2": the hex digits of a raw code, as perf writes it. False: it is none. [EV-32] */
bool event_raw_parse(const char *name, uint64_t *ret_config);

#endif
