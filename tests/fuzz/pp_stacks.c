// SPDX-License-Identifier: GPL-2.0-or-later
/* pp_stacks.c - reports of call chains over a hostile stack store; the input is that file */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_dir.h"
#include "odb.h"
#include "report.h"
#include "sample_header.h"
#include "xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_NAME "CPU_CLK_UNHALTED.100000.0.all.all.all"

/* The sample file that a column is made of. */
static void put_samples(void)
{
	struct sample_header header = { .version = SAMPLE_VERSION_1X };
	char *path = xasprintf("%s/samples/current/{root}/bin/app/{dep}/{root}/bin/app/" FILE_NAME,
			       fuzz_dir);
	struct odb *db;

	file_make_parent_dirs(path, 0700);
	if (odb_open(path, SAMPLE_HEADER_SIZE, &db, NULL))
		abort();
	sample_header_store(&header, odb_header(db));
	odb_add(db, 1, 1);
	odb_close(db);
	free(path);
}

static void put_store(const uint8_t *data, size_t size)
{
	char *path = xasprintf("%s/samples/current/stats/stacks", fuzz_dir);
	FILE *f;

	file_make_parent_dirs(path, 0700);
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
	free(path);
}

static void run(const struct report_options *options, FILE *out)
{
	struct notices notices = { 0 };
	struct report *report;
	struct op_error e;

	if (!report_make(options, fuzz_dir, &report, &notices, &e)) {
		report_print(report, out);
		report_free(report);
	}
	notices_free(&notices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_options options = { .demangle = DEMANGLE_SMART, .nr_specs = 1 };
	static FILE *out;

	if (!out) {
		fuzz_dir_make("stacks");
		put_samples();
		out = fopen("/dev/null", "w");
	}
	put_store(data, size);
	for (options.stacks = STACKS_CALLERS; options.stacks <= STACKS_FOLDED; options.stacks++) {
		options.format = FORMAT_TEXT;
		run(&options, out);
		if (options.stacks == STACKS_FOLDED)
			break;
		options.format = FORMAT_JSON;
		run(&options, out);
		options.format = FORMAT_CSV;
		run(&options, out);
	}
	return 0;
}
