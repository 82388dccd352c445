// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_descriptor.c - fuzz ELF files in which the variable of GDB's JIT interface is looked for */
#include "daemon/collect/registered/descriptor.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || descriptor_find(fd) > size)
		abort();
	close(fd);
	unlink(path);
	return 0;
}
