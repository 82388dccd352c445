// SPDX-License-Identifier: GPL-2.0-or-later
/* v8cpuprofile.c - fuzz V8's .cpuprofile, read and written and read again */
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_profile(&format_v8cpuprofile, data, size, FUZZ_SAME_TOTALS);
	return 0;
}
