/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_mask.h - which unit masks an event admits, by number and by name
 */
#ifndef EVENTS_TABLE_UNIT_MASK_H
#define EVENTS_TABLE_UNIT_MASK_H

#include "events/table/table.h"

/* A unit mask as chosen: @mask is NULL when @value is an OR of several. */
struct mask_choice {
	uint32_t value;
	uint32_t extra; /* as struct unit_mask's */
	const struct unit_mask *mask;
};

/*
 * mandatory: only its value; exclusive: one of the list; bitmask: any OR of the list's values.
 * -EINVAL: it is none; -ENOTUNIQ: several named masks have that value; both say what there is.
 */
int event_mask_by_number(const struct event *event, uint32_t value, struct mask_choice *ret,
			 struct op_error *e);

/* By number or by name, whichever @text is. NULL or "": the default. */
int event_mask_parse(const struct event *event, const char *text, struct mask_choice *ret,
		     struct op_error *e);

/* Whether @value is one of the event's, several masks having it or not. */
bool event_mask_admits(const struct mask_set *masks, uint32_t value);

/* A word for listings: whether the masks say anything beyond "there is none". */
bool event_has_masks(const struct event *event);

const char *mask_kind_name(enum mask_kind kind); /* "bitmask" */

#endif
