/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pp_report.c - a whole report over a hostile session
 *
 * Input: two bytes, little endian: the length of a sample file, which follows and stands for the
 * kernel and for a program; then a text that stands for each file beside the samples.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "fuzz_dir.h"
#include "report.h"
#include "xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_NAME "TIMER.0.0.all.all.all"

static char *in_session(const char *name)
{
	return xasprintf("%s/samples/current/%s", fuzz_dir, name);
}

static void put(const char *name, const void *bytes, size_t n)
{
	char *path = in_session(name);
	FILE *f;

	file_make_parent_dirs(path, 0700);
	f = fopen(path, "w");
	if (f) {
		fwrite(bytes, 1, n, f);
		fclose(f);
	}
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
	put("{kern}/kallsyms/{dep}/{kern}/kallsyms/" FILE_NAME, data, n);
	if (program) {
		char *name = xasprintf("{root}%s/{dep}/{root}%s/" FILE_NAME, program, program);

		put(name, data, n);
		free(name);
		name = xasprintf("{root}%s/{dep}/{root}%s/{cg}/{kern}/kallsyms/" FILE_NAME, program,
				 program);
		put(name, data, n);
		free(name);
	}
	for (size_t i = 0; i < 5; i++) {
		char *name = xasprintf("stats/%s", beside[i]);

		put(name, data + n, size - n);
		free(name);
	}
	run(&options, out);
	options.symbols = true;
	sort_order_parse(NULL, &options.sort, &(bool){ false }, NULL);
	run(&options, out);
	for (int format = FORMAT_TEXT; format <= FORMAT_CSV; format++) {
		options.format = format;
		options.details = true;
		run(&options, out);
		options.details = false;
		options.callgraph = format != FORMAT_CSV;
		run(&options, out);
		options.callgraph = false;
	}
	options.nr_specs = 2;		/* with itself */
	options.format = FORMAT_TEXT;
	run(&options, out);
	return 0;
}
