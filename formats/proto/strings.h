/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h - build the string table of a profile.proto
 *
 * Strings get their index when they are first looked up; index 0 is "". Equal strings have the same
 * index, whether they are the profile's or not.
 */
#ifndef FORMATS_PROTO_STRINGS_H
#define FORMATS_PROTO_STRINGS_H

#include "formats/profile/profile.h"
#include "libutil/strbuf.h"

struct proto_strings {
	const struct profile *p;
	uint32_t *indices;		/* of the profile's strings; 0: none yet */
	const char **texts;
	uint32_t nr;
	size_t room;
	char **own;			/* those of @texts that are not the profile's */
	size_t nr_own, room_own;
	struct strbuf repaired_text;
	uint32_t nr_repaired;		/* strings that were not UTF-8 [PP-5] */
};

void proto_strings_start(struct proto_strings *s, const struct profile *p);
void proto_strings_free(struct proto_strings *s);

/* The index of a string of the profile; of any text, which is slower. */
uint32_t proto_string_index(struct proto_strings *s, uint32_t string);
uint32_t proto_text_index(struct proto_strings *s, const char *text);

/* The text at @index as valid UTF-8, until the next call. */
const char *proto_string_bytes(struct proto_strings *s, uint32_t index, size_t *ret_len);

#endif
