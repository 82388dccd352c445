/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_binary.c - hostile binaries: line tables, inlined functions, disassembly
 *
 * Input: the file, with its debug information in itself. What is asked of it is what opannotate
 * asks: the lines of each symbol's places, with and without inlines, and its instructions; and what
 * opreport asks: the functions inlined there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pp/binary/binary.h"
#include "pp/binary/disassemble/disassemble.h"
#include "pp/binary/line/binary.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SYMBOLS	64
#define MAX_BYTES	256	/* of each symbol */

static uint64_t end_of(const struct code_symbol *s)
{
	return s->end - s->start < MAX_BYTES ? s->end : s->start + MAX_BYTES;
}

static void find_lines(struct line_binary *lines, const struct code_symbol *s)
{
	uint64_t places[MAX_BYTES];
	struct line_place found[MAX_BYTES];
	size_t nr = 0;

	for (uint64_t place = s->start; place < end_of(s); place++)
		places[nr++] = place;
	line_binary_find(lines, places, nr, found);
	for (size_t i = 0; i < nr; i++)
		if (found[i].file && strlen(found[i].file) > UINT32_MAX)
			abort();
}

static void find_inlined(struct line_binary *lines, const struct code_symbol *s)
{
	struct inline_span frames[4];
	uint64_t places[MAX_BYTES];
	size_t nr = 0;

	for (uint64_t place = s->start; place < end_of(s); place++)
		places[nr++] = place;
	line_binary_find(lines, places, nr, NULL);
	for (size_t i = 0; i < nr; i++) {
		size_t found = line_binary_frames(lines, places[i], frames, 4);

		for (size_t k = 0; k < found && k < 4; k++)
			if (frames[k].function && strlen(frames[k].function) > UINT32_MAX)
				abort();
	}
}

static void read_inlined(const struct binary *b, const char *path)
{
	struct line_options options = { .frames = true, .root = "" };
	struct line_binary *lines;

	if (line_binary_open(b, path, &options, &lines, NULL))
		return;
	for (size_t i = 0; i < b->nr_symbols && i < MAX_SYMBOLS; i++)
		find_inlined(lines, &b->symbols[i]);
	line_binary_close(lines);
}

static void read_lines(const struct binary *b, const char *path, bool inlines)
{
	struct line_options options = { .inlines = inlines, .root = "" };
	struct line_binary *lines;
	struct op_error e;

	if (line_binary_open(b, path, &options, &lines, &e))
		return;
	for (size_t i = 0; i < b->nr_symbols && i < MAX_SYMBOLS; i++)
		find_lines(lines, &b->symbols[i]);
	free(line_binary_complaint(lines));
	line_binary_close(lines);
}

static void take_line(void *context, enum disassembly_line kind, uint64_t vma, const char *text)
{
	(void)kind;
	(void)vma;
	*(size_t *)context += strlen(text);
}

static void read_code(const struct binary *b)
{
	struct disassemble_options options = { .show_bytes = true, .demangle = true };
	size_t length = 0;
	struct disassembly_reader reader = { .line = take_line, .context = &length };
	struct disassembler *d;
	struct op_error e;

	if (disassembler_open(b, &options, true, &d, &e))
		return;
	for (size_t i = 0; i < b->nr_symbols && i < MAX_SYMBOLS; i++)
		disassemble(d, NULL, b->symbols[i].start, end_of(&b->symbols[i]), &reader);
	disassembler_close(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct binary_options options = { .keep_open = true, .root = "" };
	const char *path = fuzz_file(data, size);
	struct op_error e;
	struct binary b;

	if (binary_open(path, &options, &b, &e))
		return 0;
	read_lines(&b, path, false);
	read_lines(&b, path, true);
	read_inlined(&b, path);
	read_code(&b);
	binary_close(&b);
	return 0;
}
