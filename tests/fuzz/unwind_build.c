// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind_build.c - fuzz binaries with call frame information: a table is sound, or there is none
 *
 * The same bytes are an image that a process registered, too.
 */
#include <stdlib.h>
#include <string.h>
#include "libutil/opener/registered.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#define LIMIT	(1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build_registered(const uint8_t *data, size_t size)
{
	const struct registered_head head = { .magic = REGISTERED_MAGIC, .nr = 1 };
	const struct registered_image image = { size };
	uint8_t *copy = malloc(sizeof(head) + sizeof(image) + size);
	struct op_unwind_table *table;
	size_t len;

	memcpy(copy, &head, sizeof(head));
	memcpy(copy + sizeof(head), &image, sizeof(image));
	memcpy(copy + sizeof(head) + sizeof(image), data, size);
	if (!unwind_build_copy(copy, sizeof(head) + sizeof(image) + size, unwind_window(0), LIMIT,
			       &table, &len, NULL)) {
		if (len > LIMIT || !op_unwind_check(table, len))
			abort();
		free(table);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_unwind_table *table;
	struct unwind_counts counts;
	size_t len;
	int err = unwind_build_image(data, size, LIMIT, &table, &len, &counts);

	build_registered(data, size);
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
