// SPDX-License-Identifier: GPL-2.0-or-later
/* history_symbols.c - fuzz binaries whose symbols the history keeps: an ELF file, or nothing */
#include <stdlib.h>
#include <zstd.h>
#include "daemon/history/symbols_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* It has as many sections, and is no longer than what readers unpack. */
static void check(const struct elf_file *f, const void *packed, size_t n)
{
	unsigned long long size = ZSTD_getFrameContentSize(packed, n);
	unsigned char *bytes = size <= SYMBOLS_UNPACKED_MAX ? malloc(size) : NULL;
	struct elf_section *sections;
	struct elf_file again;
	size_t nr;

	if (!bytes || ZSTD_decompress(bytes, size, packed, n) != size ||
	    elf_file_open_memory(bytes, size, &again) ||
	    elf_file_sections(&again, SIZE_MAX, &sections, &nr) || nr != f->nr_sections)
		abort();
	free(sections);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file f;
	void *packed;
	size_t n;

	for (int lines = 0; lines < 2; lines++)
		if (!elf_file_open_memory(data, size, &f) &&
		    !symbols_pack(&f, lines, &packed, &n)) {
			check(&f, packed, n);
			free(packed);
		}
	return 0;
}
