/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - a whole report over a hostile session
 *
 * Input: two bytes, little endian: the length of a sample file, which follows and stands for the
 * kernel and for a program; then a text that stands for each file beside the samples.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_NAME "TIMER.0.0.all.all.all"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const beside[] = { "session", "counts", "images", "kernel-symbols",
					      "event-times" };
	static char *program;
	static FILE *out;
	struct report_options options = { .demangle = DEMANGLE_SMART };
	size_t n;

	if (!*fuzz_dir) {
		fuzz_dir_make("pp");
		out = fopen("/dev/null", "w");
		program = realpath("/bin/true", NULL);
	}
	if (size < 2)
		return 0;
	n = data[0] | data[1] << 8;
	data += 2;
	size -= 2;
	if (n > size)
		n = size;
	fuzz_put("{kern}/kallsyms/{dep}/{kern}/kallsyms/" FILE_NAME, data, n);
	if (program) {
		char *name = xasprintf("{root}%s/{dep}/{root}%s/" FILE_NAME, program, program);

		fuzz_put(name, data, n);
		free(name);
		name = xasprintf("{root}%s/{dep}/{root}%s/{cg}/{kern}/kallsyms/" FILE_NAME, program,
				 program);
		fuzz_put(name, data, n);
		free(name);
	}
	for (size_t i = 0; i < 5; i++) {
		char *name = xasprintf("stats/%s", beside[i]);

		fuzz_put(name, data + n, size - n);
		free(name);
	}
	fuzz_report(&options, out);
	options.symbols = true;
	sort_order_parse(NULL, &options.sort, &(bool){ false }, NULL);
	fuzz_report(&options, out);
	for (int format = FORMAT_TEXT; format <= FORMAT_CSV; format++) {
		options.format = format;
		options.details = true;
		fuzz_report(&options, out);
		options.details = false;
		options.callgraph = format != FORMAT_CSV;
		fuzz_report(&options, out);
		options.callgraph = false;
	}
	options.nr_specs = 2;		/* with itself */
	options.format = FORMAT_TEXT;
	fuzz_report(&options, out);
	return 0;
}
