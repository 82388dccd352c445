// SPDX-License-Identifier: GPL-2.0-or-later
/* cpuprofile.c - fuzz Google CPU profiles, read and written and read again */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_profile(&format_cpuprofile, data, size, FUZZ_READ_BACK);
	return 0;
}
