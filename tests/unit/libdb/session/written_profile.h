/* SPDX-License-Identifier: GPL-2.0-or-later */
/* written_profile.h - a profile as the text that a format makes of it, for tests */
#ifndef TESTS_UNIT_LIBDB_SESSION_WRITTEN_PROFILE_H
#define TESTS_UNIT_LIBDB_SESSION_WRITTEN_PROFILE_H

#include "formats/format.h"
#include "tests/tap.h"

/* Its first event, where there is room for one only. To be free()d. */
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
