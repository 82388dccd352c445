// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_descriptor.c - fuzz ELF files in which variables for debuggers are looked for */
#include "daemon/collect/registered/descriptor.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct registered_place place = { 0 };

	if (fd >= 0)
		place = descriptor_find(fd);
	if (fd < 0 || place.symbol > size || place.types > size)
		abort();
	close(fd);
	unlink(path);
	return 0;
}
