// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_capture.c - fuzz kallsyms and modules, a line "==" apart: what is written can be read */
#include <string.h>
#include "libdb/session/kernel_symbols.h"
#include "libutil/file.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char kallsyms[64], modules[64];
	const uint8_t *cut = memmem(data, size, "==\n", 3);
	size_t first = cut ? (size_t)(cut - data) : size, second = cut ? first + 3 : size;
	struct kernel_symbols s;
	size_t len;
	char *text;

	snprintf(kallsyms, sizeof(kallsyms), "/dev/shm/fuzz.%d.k", (int)getpid());
	snprintf(modules, sizeof(modules), "/dev/shm/fuzz.%d.m", (int)getpid());
	if (file_write_atomic(kallsyms, data, first, 0600) ||
	    file_write_atomic(modules, data + second, size - second, 0600))
		abort();
	if (!kernel_symbols_capture(kallsyms, modules, &text, &len, NULL)) {
		if (kernel_symbols_parse(text, len, "", &s, NULL))
			abort();
		kernel_symbols_free(&s);
		free(text);
	}
	unlink(kallsyms);
	unlink(modules);
	return 0;
}
