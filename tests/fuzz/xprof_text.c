/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof_text.c - profile feedback text: what is read is written, read and added to itself again */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/add.h"
#include "feedback/xprof/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct xprof *x, size_t *ret_size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_size);

	xprof_text_write(x, f);
	fclose(f);
	return text;
}

static void must_read(const struct xprof *x, const char *what)
{
	const struct xprof_options options = { 0 };
	struct op_error e = { "" };
	struct xprof *again;
	size_t size;
	char *text = written(x, &size), *other;

	if (xprof_text_read("text", text, size, &options, &again, &e)) {
		fprintf(stderr, "%s: %s\n%s", what, e.text, text);
		abort();
	}
	other = written(again, &size);
	if (strcmp(text, other)) {
		fprintf(stderr, "%s: not the same\n%s%s", what, text, other);
		abort();
	}
	free(text);
	free(other);
	xprof_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xprof_options options = { 0 };
	struct op_error e = { "" };
	struct xprof *x, *made;
	uint32_t nr_reset;

	if (xprof_text_read("text", (const char *)data, size, &options, &x, &e)) {
		if (strncmp(e.text, "text:", 5))
			abort();
		return 0;
	}
	must_read(x, "as it is");
	made = xprof_add(x, x, &nr_reset);
	if (made->nr_objects + made->nr_programs + made->nr_sources)
		must_read(made, "twice");
	xprof_free(made);
	made = xprof_make_tcovsd(x);
	if (made->nr_sources && !xprof_check(made, NULL, &options, &e))
		must_read(made, "its lines");
	xprof_free(made);
	if (x->nr_objects) {
		made = xprof_make_objfd(x, 0);
		must_read(made, "an object");
		xprof_free(made);
	}
	xprof_free(x);
	return 0;
}
