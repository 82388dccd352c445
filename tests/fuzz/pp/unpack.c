/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.c - hostile packed files: never more than the limit, whatever they say
 *
 * Input: the packed bytes, taken for xz and for zstd.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pp/binary/unpack_xz.h"
#include "pp/binary/unpack_zst.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LIMIT	(1 << 20)

static void try(int (*unpack)(const void *, size_t, size_t, unsigned char **, size_t *),
		const uint8_t *data, size_t size)
{
	unsigned char *bytes;
	size_t n;

	if (unpack(data, size, LIMIT, &bytes, &n))
		return;
	if (n > LIMIT || (n && memchr(bytes, 0, n) > (void *)(bytes + n)))
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try(unpack_xz, data, size);
	try(unpack_zst, data, size);
	return 0;
}
