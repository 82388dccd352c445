/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_mask.h - which unit masks an event admits, by number and by name
 */
#ifndef EVENTS_TABLE_UNIT_MASK_H
#define EVENTS_TABLE_UNIT_MASK_H

#include "events/table/table.h"

/* A unit mask as chosen; @mask is NULL if @value is an OR of several. */
struct mask_choice {
	uint32_t value;
	uint32_t extra; /* as struct unit_mask's */
	const struct unit_mask *mask;
};

/*
 * mandatory: only its value; exclusive: one of the list; bitmask: any OR of the list's values.
 * -EINVAL: not among them. -ENOTUNIQ: several named masks have that value.
 */
int event_mask_by_number(const struct event *event, uint32_t value, struct mask_choice *ret,
			 struct op_error *e);

/* By number or by name. NULL or "": the default. */
int event_mask_parse(const struct event *event, const char *text, struct mask_choice *ret,
		     struct op_error *e);

/* Whether @value is valid for these masks, even if several have it. */
bool event_mask_admits(const struct mask_set *masks, uint32_t value);

/* Whether a listing has to show the masks: false for a lone nameless mask of 0. */
bool event_has_masks(const struct event *event);

const char *mask_kind_name(enum mask_kind kind); /* "bitmask" */

#endif
