// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c - read a profile of another tool and make a session from it */
#include "pp/exchange/import/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/exchange/import/machine_names.h"

#define SAMPLE_MAGIC "DAE\n"	/* in either byte order [SF-1] */

/* Whether the file is a sample file: the user may have forgotten --abi. */
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

struct source {
	unsigned char *bytes;
	size_t size;
};

static int make_session(const struct import_options *o, struct source *source,
			const struct profile *p,
			struct import_session_sums *ret, struct notices *notices,
			struct op_error *e)
{
	struct import_session_options options = {
		.session_dir = o->session_dir, .name = o->output,
		.origin = profile_text(p, p->origin),
		.file = strcmp(o->input, "-") ? o->input : "standard input",
		.bytes = &source->bytes, .size = source->size, .salvaged = o->salvage,
	};

	if (o->drop_handler_frames) {
		if (strcmp(options.origin, "cpuprofile"))
			return op_error_set(e, -EINVAL, "--drop-handler-frames requires a "
					    "cpuprofile, but '%s' is %s", o->input, options.origin);
		options.bytes = NULL;	/* do not keep the original, which has these frames */
	}
	return import_session(p, &options, ret, notices, e);
}

int import_profile(const struct import_options *o, const struct format_warnings *warnings,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e)
{
	struct format_read_options options = {
		.warnings = warnings, .strict = o->strict, .salvage = o->salvage,
		.drop_handler_frames = o->drop_handler_frames,
	};
	struct source source;
	struct profile *p = NULL;
	int err = profile_file_bytes(o->input, &source.bytes, &source.size, e);

	if (err)
		return err;
	err = profile_read_bytes(o->input, source.bytes, source.size, o->from, &options, &p, e);
	if (!err && !strcmp(profile_text(p, p->origin), "perf-data"))
		import_machine_names(p, "", notices);
	if (!err) {
		profile_finish(p);
		err = make_session(o, &source, p, ret, notices, e);
	} else if (!o->from && is_sample_file(o->input)) {
		op_error_set(e, err, "'%s' is a sample file; specify the 'abi' file of its session "
			     "directory with --abi (-a)", o->input);
	}
	profile_free(p);
	free(source.bytes);
	return err;
}
