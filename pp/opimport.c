/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opimport.c - convert profiles of other tools and machines to a session or a sample file */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/exchange/import/import.h"
#include "pp/exchange/import/options.h"
#include "pp/exchange/import/profile.h"

#define INPUT_LIMIT (UINT64_C(2) << 30)	/* bytes; the largest table is smaller */

static bool is_jit_object(const char *path)
{
	size_t n = strlen(path);

	return n >= 3 && !strcmp(path + n - 3, ".jo");
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_native(const struct abi *abi)
{
	struct abi native_1x, native_099;

	abi_native(SAMPLE_VERSION_1X, &native_1x);
	abi_native(SAMPLE_VERSION_099, &native_099);
	return abi_equal(abi, &native_1x) || abi_equal(abi, &native_099);
}

static int read_abi(const struct import_options *o, struct abi *ret, struct op_error *e)
{
	struct op_error why = { "" };
	int err = abi_read(o->abi, ret, e);

	if (err)
		return err;
	if (is_native(ret) && !o->force)
		return op_error_set(e, -EINVAL, "'%s' is the layout of this machine: no conversion "
				    "needed; use --force to convert anyway", o->abi);
	err = foreign_abi_check(ret, &why);
	return err ? op_error_set(e, err, "%s: %s", o->abi, why.text) : 0;
}

static int read_input(const struct import_options *o, const struct abi *abi, char **ret_bytes,
		      struct foreign_samples *ret, struct op_error *e)
{
	struct op_error why = { "" };
	size_t size;
	int err = file_read_all(o->input, INPUT_LIMIT, ret_bytes, &size);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", o->input, strerror(-err));
	err = foreign_samples_read(*ret_bytes, size, abi, ret, &why);
	return err ? op_error_set(e, err, "'%s': %s", o->input, why.text) : 0;
}

static int convert(const struct import_options *o, struct foreign_samples *samples,
		   struct import_sums *sums, struct op_error *e)
{
	char *bytes = NULL;
	struct abi abi;
	int err;

	if (is_same_file(o->input, o->output))
		return op_error_set(e, -EINVAL, "'%s' is both input and output; choose another "
				    "output", o->output);
	err = read_abi(o, &abi, e);
	if (!err)
		err = read_input(o, &abi, &bytes, samples, e);
	if (!err)
		err = import_samples(samples, o->output, sums, e);
	free(bytes);
	return err;
}

static int run_samples(const struct import_options *o)
{
	struct foreign_samples samples;
	struct op_error e = { "" };
	struct import_sums sums;

	if (is_jit_object(o->input)) {
		report_note("'%s' is not a sample file but code made at run time: ignored",
			    o->input);
		return 0;
	}
	if (convert(o, &samples, &sums, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (o->verbose)
		printf("%s: version 0x%x, event 0x%x, count %u, unit mask 0x%x: %" PRIu64
		       " samples at %" PRIu64 " places%s\n", o->output, samples.header.version,
		       samples.header.event, samples.header.count, samples.header.unit_mask,
		       sums.samples, sums.places, sums.added ? ", added to the existing ones" : "");
	return 0;
}

static void report_format_warning(void *input, const char *text)
{
	struct op_error located;

	format_locate(input, text, &located);
	report_warning("%s", located.text);
}

static int run_profile(const struct import_options *o)
{
	struct format_warnings warnings = { report_format_warning, o->input };
	struct import_session_sums sums = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	int err = import_profile(o, &warnings, &sums, &notices, &e);

	progress_end();
	report_notices(&notices);
	notices_free(&notices);
	if (err)
		report_error("%s", e.text);
	else if (o->verbose)
		printf("%s/samples/%s: %" PRIu64 " samples in %" PRIu64 " files, %" PRIu64
		       " call stacks\n", o->session_dir, o->output, sums.samples, sums.files,
		       sums.stacks);
	return err ? 1 : 0;
}

static int run(const void *p)
{
	const struct import_options *o = p;

	if (o->list_formats) {
		profile_formats_print(profile_formats, false, stdout);
		return 0;
	}
	return o->abi ? run_samples(o) : run_profile(o);
}

int main(int argc, const char **argv)
{
	struct import_options options;
	struct op_error e = { "" };
	int status = 0;

	if (import_options_parse(argc, argv, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK) {
		option_set_print(&import_option_set, options.asked);
	} else {
		const struct confine_needs needs = {
			.outputs = { options.abi ? options.output : options.session_dir },
			.must_write = true,
		};

		progress_begin();
		status = confine_and_run(&needs, run, &options);
	}
	import_options_free(&options);
	return finish_output(status);
}
