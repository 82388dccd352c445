// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_gmon.c - a gmon file of this machine's word size and byte order as text, for tests
 *
 *	read_gmon FILE
 *
 *	sample ADDRESS COUNT		a bin that has any, of each histogram
 *	arc FROM TO COUNT
 *	samples SUM
 *	arcs SUM
 *
 * Knows nothing of pp/exchange/gmon/gmon.c, which writes them. Whatever is not as gprof asks for it ends with 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *in;
static uint64_t nr_samples, nr_arcs;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "read_gmon: at byte %ld: %s\n", ftell(in), what);
	exit(1);
}

static void get(void *ret, size_t size)
{
	if (fread(ret, size, 1, in) != 1)
		fail("the file ends within a record");
}

static uint32_t get32(void)
{
	uint32_t n;

	get(&n, sizeof(n));
	return n;
}

static uintptr_t get_address(void)
{
	uintptr_t n;

	get(&n, sizeof(n));
	return n;
}

static void read_header(void)
{
	static const char nothing[12];
	char magic[4], spare[12];

	get(magic, sizeof(magic));
	if (memcmp(magic, "gmon", sizeof(magic)) || get32() != 1)
		fail("not a gmon file of version 1");
	get(spare, sizeof(spare));
	if (memcmp(spare, nothing, sizeof(spare)))
		fail("what is kept free is not zero");
}

static void read_histogram(void)
{
	uintptr_t low = get_address(), high = get_address();
	uint32_t nr_bins = get32();
	char dimension[16];

	if (!get32())
		fail("a rate of 0");
	get(dimension, sizeof(dimension));
	if (strncmp(dimension, "samples", 15))
		fail("it does not count samples");
	if (high <= low || !nr_bins || (high - low) % nr_bins)
		fail("bins of a broken width");
	for (uint32_t i = 0; i < nr_bins; i++) {
		uint16_t count;

		get(&count, sizeof(count));
		nr_samples += count;
		if (count)
			printf("sample %016" PRIxPTR " %u\n", low + (high - low) / nr_bins * i,
			       count);
	}
}

static void read_arc(void)
{
	uintptr_t from = get_address(), to = get_address();
	uint32_t count = get32();

	nr_arcs += count;
	printf("arc %016" PRIxPTR " %016" PRIxPTR " %" PRIu32 "\n", from, to, count);
}

int main(int argc, char **argv)
{
	int tag;

	in = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!in) {
		perror(argc == 2 ? argv[1] : "usage: read_gmon FILE");
		return 1;
	}
	read_header();
	while ((tag = fgetc(in)) != EOF) {
		if (tag > 1)
			fail("a record of unknown kind");
		if (tag)
			read_arc();
		else
			read_histogram();
	}
	printf("samples %" PRIu64 "\narcs %" PRIu64 "\n", nr_samples, nr_arcs);
	fclose(in);
	return 0;
}
