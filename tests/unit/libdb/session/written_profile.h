/* SPDX-License-Identifier: GPL-2.0-or-later */
/* written_profile.h - write a profile in a format into a string, for tests */
#ifndef TESTS_UNIT_LIBDB_SESSION_WRITTEN_PROFILE_H
#define TESTS_UNIT_LIBDB_SESSION_WRITTEN_PROFILE_H

#include "formats/format.h"
#include "tests/tap.h"

/* Formats of one event get the first one. Malloc'd. */
static inline char *written_profile(const struct profile_format *format, const struct profile *p)
{
	struct format_write_options options = { .event = 0 };
	struct op_error e = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK(!format->write(p, &options, out, &e), "%s", e.text);
	fclose(out);
	return text;
}

#endif
