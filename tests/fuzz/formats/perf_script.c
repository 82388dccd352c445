// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_script.c - fuzz perf_script stacks, read and written and read again */
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_profile(&format_perf_script, data, size, FUZZ_READ_BACK);
	return 0;
}
