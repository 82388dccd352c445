/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disassemble.c - decode sections with libopcodes, symbol by symbol */
#include "pp/binary/disassemble/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define CHUNK	(64u << 10)

static void give(struct disassembler *d, const struct disassembly_reader *reader,
		 enum disassembly_line kind, uint64_t vma)
{
	reader->line(reader->context, kind, vma, d->line.text);
	strbuf_reset(&d->line);
}

static void give_text(struct disassembler *d, const struct disassembly_reader *reader,
		      enum disassembly_line kind, uint64_t vma, const char *text)
{
	strbuf_add(&d->line, text);
	give(d, reader, kind, vma);
}

static void give_file(struct disassembler *d, const struct disassembly_reader *reader)
{
	give_text(d, reader, DISASSEMBLY_FILE, 0, "");
	strbuf_addf(&d->line, "%s:     file format %s", d->path, bfd_get_target(d->image));
	give(d, reader, DISASSEMBLY_FILE, 0);
	give_text(d, reader, DISASSEMBLY_FILE, 0, "");
}

static void give_section(struct disassembler *d, const struct disassembly_reader *reader)
{
	give_text(d, reader, DISASSEMBLY_FILE, 0, "");
	strbuf_addf(&d->line, "Disassembly of section %s:", bfd_section_name(d->section));
	give(d, reader, DISASSEMBLY_FILE, 0);
}

static void give_symbol(struct disassembler *d, const struct disassembly_reader *reader,
			asymbol *symbol, uint64_t vma)
{
	give_text(d, reader, DISASSEMBLY_BLANK, vma, "");
	strbuf_addf(&d->line, "%0*" PRIx64 " ", bfd_arch_bits_per_address(d->image) / 4, vma);
	if (!address_name_add_own(&d->line, d->binary, vma))
		address_name_add(&d->line, symbol, d->section, vma, d->options->demangle);
	strbuf_add_char(&d->line, ':');
	give(d, reader, DISASSEMBLY_SYMBOL, vma);
}

/* Number of zero bytes at the start of @bytes that objdump would not decode. */
static size_t zeroes_to_skip(const bfd_byte *bytes, size_t left)
{
	size_t zeroes = 0;

	while (zeroes < left && !bytes[zeroes])
		zeroes++;
	if (zeroes == left)
		return left >= ZEROES_SKIPPED || left < ZEROES_SKIPPED_AT_END ? left : 0;
	return zeroes / ZEROES_SKIPPED * ZEROES_SKIPPED;
}

static void add_bytes(struct disassembler *d, const bfd_byte *bytes, size_t n)
{
	size_t width = n > 7 ? n : 7;

	for (size_t i = 0; i < width; i++)
		strbuf_addf(&d->line, i < n ? "%02x " : "   ", i < n ? bytes[i] : 0);
	strbuf_add_char(&d->line, '\t');
}

/* Print the instruction at @vma; returns its length. */
static size_t decode_one(struct disassembler *d, const struct disassembly_reader *reader,
			 uint64_t vma, const bfd_byte *bytes, size_t left)
{
	struct strbuf text = STRBUF_INIT;
	int length;

	length = d->decode(vma, &d->info);
	strbuf_add(&text, d->line.text);
	strbuf_reset(&d->line);
	if (length <= 0)
		length = 1;
	strbuf_addf(&d->line, "%*" PRIx64 ":\t", d->digits, vma);
	if (d->options->show_bytes)
		add_bytes(d, bytes, (size_t)length < left ? (size_t)length : left);
	strbuf_add(&d->line, text.len ? text.text : "(bad)");
	strbuf_free(&text);
	give(d, reader, DISASSEMBLY_INSTRUCTION, vma);
	return length;
}

/*
 * Decode the instructions that begin in [@low, @stop), of a range that ends at @high. @bytes: @nr
 * bytes at @low.
 */
static uint64_t decode_bytes(struct disassembler *d, const struct disassembly_reader *reader,
			     uint64_t low, uint64_t stop, uint64_t high, const bfd_byte *bytes,
			     size_t nr)
{
	uint64_t at = low;

	while (at < stop && at - low < nr) {
		size_t left = nr - (at - low), wanted = high - at < left ? high - at : left;
		const bfd_byte *here = bytes + (at - low);
		size_t skip = d->options->show_zeroes ? 0 : zeroes_to_skip(here, wanted);

		if (skip) {
			give_text(d, reader, DISASSEMBLY_OTHER, at, "\t...");
			at += skip;
			continue;
		}
		if (reader->before)
			reader->before(reader->context, at, bfd_section_name(d->section),
				       at - bfd_section_vma(d->section));
		at += decode_one(d, reader, at, here, left);
	}
	return at;
}

/* Decode [@low, @high) of the current section, in pieces of bounded size. */
static void decode_range(struct disassembler *d, const struct disassembly_reader *reader,
			 uint64_t low, uint64_t high)
{
	uint64_t base = bfd_section_vma(d->section), end = base + bfd_section_size(d->section);
	bfd_byte *buffer = xmalloc(CHUNK + LONGEST_INSTRUCTION);

	while (low < high) {
		uint64_t stop = high - low > CHUNK ? low + CHUNK : high;
		uint64_t nr = end - low < CHUNK + LONGEST_INSTRUCTION ? end - low
								      : CHUNK + LONGEST_INSTRUCTION;

		if (!bfd_get_section_contents(d->image, d->section, buffer, low - base, nr))
			break;
		d->info.buffer = buffer;
		d->info.buffer_vma = low;
		d->info.buffer_length = nr;
		d->info.section = d->section;
		low = decode_bytes(d, reader, low, stop, high, buffer, nr);
	}
	free(buffer);
}

/* objdump drops groups of four leading zeros that all addresses of a section have. */
static int address_digits(const struct disassembler *d)
{
	uint64_t end = bfd_section_vma(d->section) + bfd_section_size(d->section);
	int digits = bfd_arch_bits_per_address(d->image) / 4, needed = 1;

	while (needed < 16 && end >> 4 * needed)
		needed++;
	while (digits - needed >= 5)
		digits -= 4;
	return digits;
}

static void disassemble_section(struct disassembler *d, uint64_t low, uint64_t high,
				const struct disassembly_reader *reader)
{
	give_section(d, reader);
	while (low < high) {
		uint64_t stop = high;
		size_t at;
		asymbol *symbol = address_name_find(&d->names, low, d->section, true, &at), *next;

		next = symbol ? bfd_asymbol_value(symbol) > low
			      ? symbol : address_name_next(&d->names, at, d->section) : NULL;
		if (next && bfd_asymbol_value(next) < stop)
			stop = bfd_asymbol_value(next);
		give_symbol(d, reader, symbol, low);
		if (!reader->wants || reader->wants(reader->context, low))
			decode_range(d, reader, low, stop);
		low = stop;
	}
}

static bool is_code(const asection *s)
{
	return (s->flags & (SEC_CODE | SEC_HAS_CONTENTS)) == (SEC_CODE | SEC_HAS_CONTENTS) &&
	       bfd_section_vma(s) + bfd_section_size(s) > bfd_section_vma(s);
}

void disassemble(struct disassembler *d, const char *section, uint64_t low, uint64_t high,
		 const struct disassembly_reader *reader)
{
	give_file(d, reader);
	for (d->section = d->image->sections; d->section; d->section = d->section->next) {
		uint64_t from = bfd_section_vma(d->section);
		uint64_t to = from + bfd_section_size(d->section);

		if (!is_code(d->section) || from >= high || to <= low ||
		    (section && strcmp(section, bfd_section_name(d->section))))
			continue;
		d->digits = address_digits(d);
		disassemble_section(d, from < low ? low : from, to > high ? high : to, reader);
	}
}

void disassemble_heading(struct disassembler *d, const struct disassembly_reader *reader)
{
	give_file(d, reader);
	for (d->section = d->image->sections; d->section; d->section = d->section->next) {
		if (!is_code(d->section))
			continue;
		give_section(d, reader);
		give_text(d, reader, DISASSEMBLY_BLANK, 0, "");
		return;
	}
}
