/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.c - hostile ELF files: symbols, linkage table, packed symbols, debug links
 *
 * Input: the file. It is read as an image and, as its own debug link may say, next to itself.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/file.h"
#include "pp/binary/binary.h"
#include "tests/fuzz/fuzz_dir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *image;

static void free_image(void)
{
	free(image);
}

static void make_dir(void)
{
	char *debug;

	fuzz_dir_make("elf");
	image = path_join(fuzz_dir, "image");
	debug = path_join(fuzz_dir, "image.debug");	/* what the seeds link to */
	if (symlink("image", debug))
		abort();
	free(debug);
	atexit(free_image);
}

/* The rules that readers of a binary rely on. */
static void check(const struct binary *b)
{
	for (size_t i = 0; i < b->nr_symbols; i++) {
		const struct code_symbol *s = &b->symbols[i];

		if (s->start >= s->end || (i && s->start < b->symbols[i - 1].end))
			abort();
		if (strlen(s->name) > UINT32_MAX)
			abort();
		if (b->same_name && (b->same_name[i] > i ||
				     strcmp(b->symbols[b->same_name[i]].name, s->name)))
			abort();
	}
}

static void read_as(const struct binary_options *options)
{
	struct op_error e;
	struct binary b;

	if (binary_open(image, options, &b, &e))
		return;
	check(&b);
	for (size_t i = 0; i < b.nr_symbols && i < 100; i++) {
		size_t size;

		free(binary_code(&b, b.symbols[i].start, b.symbols[i].end, &size));
	}
	binary_close(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f;

	if (!image)
		make_dir();
	f = fopen(image, "w");
	if (!f)
		return 0;
	fwrite(data, 1, size, f);
	fclose(f);
	read_as(&(struct binary_options){ .keep_open = true, .functions = true, .root = fuzz_dir });
	read_as(&(struct binary_options){ .by_address = true, .merge_names = true, .root = "" });
	read_as(&(struct binary_options){ .is_kernel = true, .compat = true, .root = "" });
	return 0;
}
