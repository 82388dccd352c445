// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_data.c - fuzz the reader of perf.data */
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_profile(&format_perf_data, data, size, FUZZ_READ_ONLY);
	return 0;
}
