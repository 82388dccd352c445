// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - reports of call stacks over a hostile stack store; the input is that file */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "tests/fuzz/fuzz_report.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_options options = { .demangle = DEMANGLE_SMART, .nr_specs = 1 };
	static FILE *out;

	if (!out) {
		fuzz_dir_make("stacks");
		put_samples();
		out = fopen("/dev/null", "w");
	}
	fuzz_put("stats/stacks", data, size);
	for (options.stacks = STACKS_CALLERS; options.stacks <= STACKS_FOLDED; options.stacks++) {
		options.format = FORMAT_TEXT;
		fuzz_report(&options, out);
		if (options.stacks == STACKS_FOLDED)
			break;
		options.format = FORMAT_JSON;
		fuzz_report(&options, out);
		options.format = FORMAT_CSV;
		fuzz_report(&options, out);
	}
	return 0;
}
