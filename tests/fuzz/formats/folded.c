// SPDX-License-Identifier: GPL-2.0-or-later
/* folded.c - fuzz folded stacks, read and written and read again */
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_profile(&format_folded, data, size, FUZZ_READ_BACK);
	return 0;
}
