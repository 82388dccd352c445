// SPDX-License-Identifier: GPL-2.0-or-later
/* unwind_build.c - fuzz binaries with call frame information: a table is sound, or there is none */
#include <stdlib.h>
#include "unwind/build.h"
#include "unwind/walk.h"

#define LIMIT	(1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_unwind_table *table;
	struct unwind_counts counts;
	size_t len;
	int err = unwind_build_image(data, size, LIMIT, &table, &len, &counts);

	if (err) {
		if (!unwind_refusal(err)[0])
			abort();
		return 0;
	}
	if (len > LIMIT || !op_unwind_check(table, len) || counts.bytes_none > counts.bytes)
		abort();
	for (u64 offset = 0; offset < size; offset += 7)
		op_unwind_lookup(table, offset);
	free(table);
	return 0;
}
