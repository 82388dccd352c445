/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - "(7) main" the first time, "(7)" from then on [CK-8] */
#ifndef FORMATS_CALLGRIND_NAMES_H
#define FORMATS_CALLGRIND_NAMES_H

#include <stdbool.h>
#include "formats/file/text_lines.h"
#include "formats/profile/profile.h"
#include "libutil/table.h"

struct callgrind_names {		/* of one kind; all 0: empty */
	struct callgrind_name {
		uint64_t id;
		uint32_t name;		/* string of the profile */
	} *all;
	uint32_t nr;
	size_t room;
	struct hash_table table;
};

/* Set *ret to the string for @text, "" for "???". False: its number was not defined before. */
bool callgrind_name_find(struct callgrind_names *names, struct profile *p, struct text text,
			 uint32_t *ret);
void callgrind_names_free(struct callgrind_names *names);

#endif
