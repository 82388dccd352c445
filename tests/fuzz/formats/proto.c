// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto.c - fuzz profile.proto: what is read keeps its promises and its sums when it is written
 *
 * The input is not packed; that is profile_gunzip's, which the second reading goes through.
 */
#include "formats/file/gunzip.h"
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool warned;

static void note_warning(void *context, const char *text)
{
	(void)context;
	warned = text[0];
}

static unsigned char *write_and_unpack(const struct profile *p, size_t *ret_size)
{
	static const struct format_warnings warnings = { note_warning, NULL };
	struct format_write_options options = { .warnings = &warnings };
	struct format_read_options read_options = { .strict = true };
	unsigned char *bytes = NULL;
	char *packed = NULL;
	size_t size;
	FILE *f = open_memstream(&packed, &size);

	warned = false;
	fuzz_must(!format_pprof.write(p, &options, f, NULL));
	fclose(f);
	fuzz_must(!profile_gunzip((unsigned char *)packed, size, &read_options, &bytes, ret_size,
				  NULL));
	free(packed);
	return bytes;
}

static struct profile *read_again(const unsigned char *bytes, size_t size)
{
	struct format_read_options options = { .strict = true };
	struct profile *p = profile_new();
	struct op_error e = { "" };

	fuzz_must(format_pprof.detect(bytes, size));
	fuzz_must(!format_pprof.read(bytes, size, &options, p, &e));
	fuzz_check_profile(p);
	return p;
}

static void same_sums(const struct profile *a, const struct profile *b)
{
	fuzz_must(a->nr_events == b->nr_events && a->nr_samples == b->nr_samples);
	for (uint32_t i = 0; i < a->nr_events; i++)
		fuzz_must(a->events[i].period == b->events[i].period &&
			  profile_total(a, i) == profile_total(b, i));
}

/* Names that are no UTF-8 and sums that are too large change, with a warning, once. */
static void write_read_write(const struct profile *p)
{
	size_t first_size, second_size, third_size;
	unsigned char *first = write_and_unpack(p, &first_size);
	bool changed = warned;
	struct profile *again = read_again(first, first_size), *third;
	unsigned char *second = write_and_unpack(again, &second_size), *last;

	if (!changed)
		same_sums(p, again);
	third = read_again(second, second_size);
	same_sums(again, third);
	last = write_and_unpack(third, &third_size);
	fuzz_must(second_size == third_size && !memcmp(second, last, second_size));
	free(first);
	free(second);
	free(last);
	profile_free(again);
	profile_free(third);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = fuzz_read(&format_pprof, data, size);

	if (p)
		write_read_write(p);
	profile_free(p);
	return 0;
}
