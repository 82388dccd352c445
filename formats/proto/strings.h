/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h - the string table of a profile.proto that is written
 *
 * Strings get their places when they are first asked for; place 0 is "". Texts that a profile's
 * strings have, or that were asked for before, are there once.
 */
#ifndef FORMATS_PROTO_STRINGS_H
#define FORMATS_PROTO_STRINGS_H

#include "formats/profile/profile.h"
#include "libutil/strbuf.h"

struct proto_strings {
	const struct profile *p;
	uint32_t *places;		/* of the profile's strings; 0: none yet */
	const char **texts;
	uint32_t nr;
	size_t room;
	char **own;			/* those of texts that are in no profile */
	size_t nr_own, room_own;
	struct strbuf repaired_text;
	uint32_t repaired;		/* strings that were not UTF-8 [PP-5] */
};

void proto_strings_start(struct proto_strings *s, const struct profile *p);
void proto_strings_free(struct proto_strings *s);

/* Places of a profile's string, and of any text; for the few texts that are not in the profile. */
uint32_t proto_string(struct proto_strings *s, uint32_t string);
uint32_t proto_string_text(struct proto_strings *s, const char *text);

/* What stands at @place: valid UTF-8, until the next call. */
const char *proto_string_bytes(struct proto_strings *s, uint32_t place, size_t *ret_len);

#endif
