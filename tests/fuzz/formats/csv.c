// SPDX-License-Identifier: GPL-2.0-or-later
/* csv.c - fuzz tables of counts, read and written and read again */
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_profile(&format_csv, data, size, FUZZ_SAME_TOTALS);
	return 0;
}
