/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - "(7) main" the first time, "(7)" from then on [CK-8] */
#ifndef FORMATS_CALLGRIND_NAMES_H
#define FORMATS_CALLGRIND_NAMES_H

#include <stdbool.h>
#include "formats/file/text_lines.h"
#include "formats/profile/profile.h"
#include "libutil/table.h"

struct callgrind_names {		/* of one kind; { 0 } to begin with */
	struct callgrind_name {
		uint64_t id;
		uint32_t name;		/* string of the profile */
	} *all;
	uint32_t nr;
	size_t room;
	struct hash_table table;
};

/* The string that @text is, "" for "???". False: its number was not named before. */
bool callgrind_name(struct callgrind_names *names, struct profile *p, struct text text,
		    uint32_t *ret);
void callgrind_names_free(struct callgrind_names *names);

#endif
