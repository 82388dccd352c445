// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format.c - opexport --to=gmon, which writes the same file as opgprof
 *
 * It is made from the sample files and not from the profile, because it needs places in one binary
 * and that binary's functions as gprof sees them.
 */
#include <inttypes.h>

#include "formats/all_formats.h"
#include "pp/exchange/export/session_format.h"
#include "pp/exchange/gmon/gprof.h"

static int write_gmon(const struct profile *p, const struct format_write_options *options,
		      FILE *out, struct op_error *e)
{
	const struct format_session *s = options->session;
	const struct gprof_options how = { .compat = false };
	struct gmon gmon;
	uint64_t lost = 0;
	int err = gprof_make_of(s->collection, &how, &gmon, s->notices, e);

	(void)p;
	if (!err)
		lost = gmon_write(&gmon, out);
	if (lost)
		notice_add(s->notices, "omitted %" PRIu64 " samples: more than a gmon file can "
			   "hold", lost);
	gmon_free(&gmon);
	return err;
}

const struct profile_format format_gmon = {
	.name = "gmon",
	.suffix = "gmon",
	.text = "gmon.out of one binary, for gprof (as opgprof writes it)",
	.no_names = true,
	.needs_session = true,
	.write = write_gmon,
};
