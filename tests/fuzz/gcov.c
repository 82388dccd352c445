/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcov.c - gcc's notes and data: 16 bits, the length of the notes, then these, then the data */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/gcov/xprof.h"
#include "feedback/xprof/add.h"
#include "feedback/xprof/line_counts.h"
#include "feedback/xprof/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_sound(struct xprof *x)
{
	const struct xprof_options options = { 0 };
	struct op_error e = { "" };

	xprof_set_sums(x);
	if (xprof_check(x, NULL, &options, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
}

static void count_lines(const struct xprof *x)
{
	uint32_t last = 0;
	size_t nr;

	for (uint32_t i = 0; i < x->nr_tuples; i++)
		if (x->tuples[i].file != last)
			free(xprof_line_counts(x, last = x->tuples[i].file, &nr));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_error e = { "" };
	struct gcov_notes notes;
	size_t nr_notes;
	struct xprof *x;
	char *bytes;

	if (size < 2)
		return 0;
	nr_notes = data[0] | data[1] << 8;
	if (nr_notes > size - 2)
		nr_notes = size - 2;
	bytes = malloc(nr_notes + 1);
	memcpy(bytes, data + 2, nr_notes);
	if (gcov_notes_read(bytes, nr_notes, &notes, &e)) {
		if (!strstr(e.text, "offset "))
			abort();
		return 0;
	}
	gcov_data_read((const char *)data + 2 + nr_notes, size - 2 - nr_notes, &notes, &e);
	x = xprof_new(XPROF_FEEDBACK);
	if (!gcov_add_object(x, &notes, "/a.o", 1, 2, NULL, &e)) {
		must_be_sound(x);
		count_lines(x);
	}
	xprof_free(x);
	gcov_notes_free(&notes);
	return 0;
}
