// SPDX-License-Identifier: GPL-2.0-or-later
/* import_profile.c - opimport's work on a profile of another tool: read it, make a session of it */
#include "import_profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE_MAGIC "DAE\n"	/* in either byte order [SF-1] */

/* A sample file is no profile, but a user of --abi who forgot it means one. */
static bool is_sample_file(const char *path)
{
	char magic[sizeof(SAMPLE_MAGIC) - 1] = "";
	FILE *f = fopen(path, "re");
	bool is = f && fread(magic, sizeof(magic), 1, f) == 1 &&
		  !memcmp(magic, SAMPLE_MAGIC, sizeof(magic));

	if (f)
		fclose(f);
	return is;
}

static int make_session(const struct import_options *o, const struct profile *p,
			struct import_session_sums *ret, struct notices *notices,
			struct op_error *e)
{
	struct import_session_options options = {
		.session_dir = o->session_dir, .name = o->output,
		.origin = profile_text(p, p->origin),
	};

	if (!p->nr_samples)
		return op_error_set(e, -ENODATA, "'%s': a profile (%s) without a sample: no "
				    "session is made", o->input, options.origin);
	return import_session(p, &options, ret, notices, e);
}

int import_profile(const struct import_options *o, const struct format_warnings *warnings,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e)
{
	struct format_read_options options = {
		.warnings = warnings, .strict = o->strict, .salvage = o->salvage,
	};
	struct profile *p;
	int err = profile_read_file(o->input, o->from, &options, &p, e);

	if (err && !o->from && is_sample_file(o->input))
		return op_error_set(e, err, "'%s' is a sample file: how is it laid out? give the "
				    "'abi' file of its session directory with --abi (-a)",
				    o->input);
	if (err)
		return err;
	err = make_session(o, p, ret, notices, e);
	profile_free(p);
	return err;
}

void import_list_formats(FILE *out)
{
	for (const struct profile_format *const *f = profile_formats; *f; f++)
		if ((*f)->read)
			fprintf(out, "%-12s %s\n", (*f)->name, (*f)->text);
}
