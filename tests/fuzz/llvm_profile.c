// SPDX-License-Identifier: GPL-2.0-or-later
/* llvm_profile.c - the text of LLVM's profiles: what is read is sound, and read again */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/llvm/profile.h"
#include "feedback/xprof/add.h"
#include "tests/fuzz/fuzz_xprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct xprof *x, size_t *ret_size)
{
	struct op_error e = { "" };
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_size);
	int err = llvm_profile_write(x, f, &e);

	fclose(f);
	if (err) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xprof *x = xprof_new(XPROF_FEEDBACK), *again = xprof_new(XPROF_FEEDBACK), *sum;
	struct op_error e = { "" };
	size_t nr, nr_other;
	char *text, *other;
	uint32_t nr_reset;

	if (llvm_profile_read("/a", (const char *)data, size, x, &e)) {
		if (strncmp(e.text, "/a:", 3) != 0)
			abort();
		xprof_free(x);
		xprof_free(again);
		return 0;
	}
	xprof_set_sums(x);
	if (!is_sound(x)) {
		xprof_free(x);
		xprof_free(again);
		return 0;
	}
	text = written(x, &nr);
	if (llvm_profile_read("/a", text, nr, again, &e)) {
		fprintf(stderr, "%s\n%s", e.text, text);
		abort();
	}
	other = written(again, &nr_other);
	if (nr != nr_other || memcmp(text, other, nr)) {
		fprintf(stderr, "not the same\n%s\n%s", text, other);
		abort();
	}
	sum = xprof_add(x, again, &nr_reset);
	xprof_set_sums(sum);
	if (!is_sound(sum))
		abort();
	free(text);
	free(other);
	xprof_free(sum);
	xprof_free(x);
	xprof_free(again);
	return 0;
}
