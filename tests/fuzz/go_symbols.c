/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_symbols.c - hostile tables of Go's functions
 *
 * Input: a byte of flags (1: 64 bits, 2: big-endian, 4: somewhere in a section), and the table.
 */
#include <stdlib.h>

#include "libutil/file.h"
#include "pp/binary/binary.h"
#include "tests/fuzz/fuzz_dir.h"
#include "tests/go_elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct binary *b)
{
	for (size_t i = 0; i < b->nr_symbols; i++) {
		const struct code_symbol *s = &b->symbols[i];
		char *name = binary_symbol_name(b, i);

		if (s->start >= s->end || (i && s->start < b->symbols[i - 1].end) ||
		    s->start < GO_PLACE || s->end > GO_PLACE + GO_TEXT_SIZE || !*name)
			abort();
		free(name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct binary_options how = { .functions = true, .root = "" };
	static struct go_elf g;
	struct binary b;
	char *path;

	if (!size || size > sizeof(g.file) - 0x2000)
		return 0;
	if (!fuzz_dir[0])
		fuzz_dir_make("go");
	g.is_64 = *data & 1;
	g.is_big = *data & 2;
	g.is_marked = *data & 4;
	g.section = g.is_marked ? ".rodata" : ".gopclntab";
	go_elf_make(&g, data + 1, size - 1);
	path = path_join(fuzz_dir, "go");
	if (go_elf_write(&g, path) && !binary_open(path, &how, &b, NULL)) {
		check(&b);
		binary_close(&b);
	}
	free(path);
	return 0;
}
