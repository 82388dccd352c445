/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elsewhere.c - opgprof and oparchive over a hostile session and a hostile binary
 *
 * Input: two bytes, little endian: the length of a sample file, which follows and stands for flat
 * samples and calls; then the binary.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/exchange/archive/plan.h"
#include "pp/exchange/archive/write.h"
#include "pp/exchange/gmon/gprof.h"
#include "tests/fuzz/fuzz_dir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SAMPLE_FILE "TIMER.0.0.all.all.all"
#define IMAGE	    "{root}/image"
#define BINS_MAX    100000		/* larger histograms only take time */

static void put(const char *name, const void *bytes, size_t n)
{
	char *path = path_join(fuzz_dir, name);
	FILE *f;

	file_make_parent_dirs(path, 0700);
	f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
	free(path);
}

static void gprof(bool compat)
{
	static FILE *out;
	struct gprof_options options = { .compat = compat, .root = fuzz_dir, .threshold = 1 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct gmon gmon;
	int err = gprof_make(&options, fuzz_dir, &gmon, &notices, &e);

	if (!out)
		out = fopen("/dev/null", "w");
	if (err && !*e.text)
		abort();	/* nobody would know why */
	for (size_t i = 1; !err && i < gmon.nr_samples; i++)
		if (gmon.samples[i].address < gmon.samples[i - 1].address)
			abort();
	if (!err && gmon.samples[gmon.nr_samples - 1].address - gmon.samples[0].address < BINS_MAX)
		gmon_write(&gmon, out);
	gmon_free(&gmon);
	notices_free(&notices);
}

static void archive(void)
{
	struct archive_options options = { .root = fuzz_dir };
	struct notices notices = { 0 };
	struct archive_size written;
	struct archive_plan plan;
	struct op_error e = { "" };
	char *to = path_join(fuzz_dir, "archive");

	file_remove_tree(to);
	if (!archive_plan_make(&options, fuzz_dir, &plan, &notices, &e) &&
	    archive_write(&plan, to, false, &written, &notices, &e))
		abort();
	archive_plan_free(&plan);
	notices_free(&notices);
	free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;

	if (!*fuzz_dir)
		fuzz_dir_make("elsewhere");
	if (size < 2)
		return 0;
	n = data[0] | data[1] << 8;
	data += 2;
	size -= 2;
	if (n > size)
		n = size;
	put("samples/current/" IMAGE "/{dep}/" IMAGE "/" SAMPLE_FILE, data, n);
	put("samples/current/" IMAGE "/{dep}/" IMAGE "/{cg}/" IMAGE "/" SAMPLE_FILE, data, n);
	put("image", data + n, size - n);
	put("image.debug", data + n, size - n);	/* what the seeds link to */
	gprof(false);
	gprof(true);
	archive();
	return 0;
}
