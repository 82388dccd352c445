// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkperf.c - for tests: write a small perf.data to stdout
 *
 *	mkperf [swap] [killed]		of the other byte order; as perf leaves it if it is killed
 *
 * Process 12, "prog", runs /usr/bin/prog, which is mapped to 0x400000, main() calling work().
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/formats/perf_file.h"

#define USER	PERF_RECORD_MISC_USER

int main(int argc, char **argv)
{
	static const uint64_t work[] = { PERF_CONTEXT_USER, 0x400044, 0x4000c5 };
	static const uint64_t caller[] = { PERF_CONTEXT_USER, 0x4000c4 };
	struct perf_file f = { .swap = argc > 1 && !strcmp(argv[1], "swap") };

	begin_file(&f);
	put_sample(&f, USER, 1, 12, 30, 250000, work, 3);
	put_sample(&f, USER, 1, 12, 40, 250000, work, 3);
	put_sample(&f, USER, 1, 12, 50, 250000, caller, 2);
	put_comm(&f, 12, 10, "prog");
	put_mmap2(&f, USER, 12, 20, 0x400000, 0x1000, 0x1000, "/usr/bin/prog");
	if (strcmp(argv[argc - 1], "killed"))
		end_records(&f);
	fwrite(f.bytes, f.size, 1, stdout);
	free(f.bytes);
	return fflush(stdout) || ferror(stdout);
}
