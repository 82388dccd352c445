// SPDX-License-Identifier: GPL-2.0-or-later
/* lcov.c - coverage in lcov's format: what is read is sound, and can be added to itself */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/llvm/profile.h"
#include "feedback/xprof/add.h"
#include "tests/fuzz/fuzz_xprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xprof *x = xprof_new(XPROF_TCOVSD), *sum;
	struct op_error e = { "" };
	uint32_t nr_reset;

	(void)lcov_detect((const char *)data, size);
	if (lcov_read("/a", (const char *)data, size, x, &e)) {
		if (strncmp(e.text, "/a:", 3) != 0)
			abort();
	} else if (is_sound(x)) {
		sum = xprof_add(x, x, &nr_reset);
		if (!is_sound(sum) || sum->nr_lines != x->nr_lines)
			abort();
		xprof_free(sum);
	}
	xprof_free(x);
	return 0;
}
