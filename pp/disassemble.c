/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassemble.c - libopcodes at work: one section after the other, one symbol after the other
 */
#include "disassemble_private.h"

#include <dis-asm.h>	/* that of binutils 2.39 or later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "binary_private.h"
#include "xalloc.h"

#define ZEROES_SKIPPED		8	/* as many zero bytes are no instructions */
#define ZEROES_SKIPPED_AT_END	3
#define LONGEST_INSTRUCTION	32	/* bytes read past the end of what is asked for */
#define CHUNK			(64u << 10)

struct disassembler {
	const struct disassemble_options *options;
	const char *path;
	struct bfd_file image_file, debug_file;
	bfd *image;			/* of image_file */
	disassembler_ftype decode;
	struct disassemble_info info;
	struct address_names names;
	asection *section;		/* at hand */
	int digits;			/* of an address in the section */
	struct strbuf line;
	struct strbuf error;		/* what libopcodes had to say */
};

static int add_text(void *stream, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(stream, format, args);
	va_end(args);
	return 0;
}

static int add_styled_text(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list args;

	(void)style;
	va_start(args, format);
	strbuf_vaddf(stream, format, args);
	va_end(args);
	return 0;
}

static void add_address(bfd_vma vma, struct disassemble_info *info)
{
	struct disassembler *d = info->application_data;
	asymbol *slot = address_name_slot(&d->names, vma);
	size_t at;

	strbuf_addf(&d->line, "%" PRIx64 " ", (uint64_t)vma);
	if (slot) {
		address_name_add(&d->line, slot, d->section, vma, d->options->demangle);
		return;
	}
	if (d->names.nr)
		address_name_add(&d->line,
				 address_name_find(&d->names, vma, d->section, false, &at),
				 d->section, vma, d->options->demangle);
	else
		address_name_add(&d->line, NULL, d->section, vma, false);
}

static asymbol *symbol_at(bfd_vma vma, struct disassemble_info *info)
{
	struct disassembler *d = info->application_data;
	size_t at;
	asymbol *s = address_name_find(&d->names, vma, d->section, false, &at);

	return s && bfd_asymbol_value(s) == vma ? s : NULL;
}

static void no_memory_error(int status, bfd_vma vma, struct disassemble_info *info)
{
	(void)status, (void)vma, (void)info;
}

static struct disassembler *complaining;	/* libbfd's error handler has no argument */

static void hear(const char *format, va_list args)
{
	strbuf_reset(&complaining->error);
	strbuf_vaddf(&complaining->error, format, args);
}

/* For x86, libopcodes takes any word and heeds these. */
static bool is_x86_word(const char *word, size_t len)
{
	static const char *const words[] = {
		"x86-64", "i386", "i8086", "intel", "att", "intel-syntax", "att-syntax",
		"intel-mnemonic", "att-mnemonic", "addr64", "addr32", "addr16", "data32", "data16",
		"suffix", "amd64", "intel64",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && !strncmp(words[i], word, len))
			return true;
	return false;
}

static int check_x86_words(const char *words, struct op_error *e)
{
	while (*words) {
		size_t len = strcspn(words, ",");

		if (!is_x86_word(words, len))
			return op_error_set(
				e, -EINVAL,
				"--objdump-params: -M %.*s: x86 has intel, "
				"att, intel-mnemonic, att-mnemonic, suffix, x86-64, i386, "
				"i8086, addr64, addr32, addr16, data32, data16, amd64, "
				"intel64",
				(int)(len > 80 ? 80 : len), words);
		words += len + (words[len] == ',');
	}
	return 0;
}

/* For others, words are looked at when the first instruction is decoded. */
static int check_target_words(struct disassembler *d, struct op_error *e)
{
	static bfd_byte nothing[LONGEST_INSTRUCTION];
	bfd_error_handler_type old;

	if (!d->options->target)
		return 0;
	if (bfd_get_arch(d->image) == bfd_arch_i386)
		return check_x86_words(d->options->target, e);
	d->info.buffer = nothing;
	d->info.buffer_length = sizeof(nothing);
	d->info.buffer_vma = 0;
	d->section = d->image->sections;
	complaining = d;
	old = bfd_set_error_handler(hear);
	d->decode(0, &d->info);
	bfd_set_error_handler(old);
	strbuf_reset(&d->line);
	if (d->error.len)
		return op_error_set(e, -EINVAL, "--objdump-params: -M %s: %s", d->options->target,
				    d->error.text);
	return 0;
}

static int set_up(struct disassembler *d, struct op_error *e)
{
	bfd *image = d->image;

	d->decode = disassembler(bfd_get_arch(image), bfd_big_endian(image), bfd_get_mach(image),
				 image);
	if (!d->decode)
		return op_error_set(e, -ENOTSUP, "there is no disassembler for %s",
				    bfd_printable_name(image));
	init_disassemble_info(&d->info, &d->line, add_text, add_styled_text);
	d->info.flavour = bfd_get_flavour(image);
	d->info.arch = bfd_get_arch(image);
	d->info.mach = bfd_get_mach(image);
	d->info.disassembler_options = d->options->target;
	d->info.octets_per_byte = 1;
	d->info.skip_zeroes = ZEROES_SKIPPED;
	d->info.skip_zeroes_at_end = ZEROES_SKIPPED_AT_END;
	d->info.display_endian = d->info.endian = d->info.endian_code =
		bfd_big_endian(image) ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	d->info.application_data = d;
	d->info.print_address_func = add_address;
	d->info.symbol_at_address_func = symbol_at;
	d->info.memory_error_func = no_memory_error;
	disassemble_init_for_target(&d->info);
	address_names_make(&d->image_file, d->debug_file.bfd ? &d->debug_file : NULL, &d->names);
	return check_target_words(d, e);
}

static int open_files(struct disassembler *d, const struct binary *b, bool image_only,
		      struct op_error *e)
{
	const struct object_file *image = &b->files->image;
	int err = bfd_file_open(d->path, image->bytes, image->bytes ? image->size : 0,
				&d->image_file, e);

	if (err)
		return err;
	d->image = d->image_file.bfd;
	/* without its names there are still instructions */
	if (!d->image_file.symbols && b->debug_path && !image_only)
		bfd_file_open(b->debug_path, NULL, 0, &d->debug_file, NULL);
	return 0;
}

int disassembler_open(const struct binary *b, const struct disassemble_options *options,
		      bool image_only, struct disassembler **ret, struct op_error *e)
{
	struct disassembler *d;
	int err;

	if (!b->files)
		return op_error_set(e, -ENOTSUP, "there is no file of it");
	d = xcalloc(1, sizeof(*d));
	d->options = options;
	d->path = b->files->path;
	d->image_file.fd = d->debug_file.fd = -1;
	d->line = (struct strbuf)STRBUF_INIT;
	d->error = (struct strbuf)STRBUF_INIT;
	err = open_files(d, b, image_only, e);
	if (!err)
		err = set_up(d, e);
	if (err)
		disassembler_close(d);
	else
		*ret = d;
	return err;
}

void disassembler_close(struct disassembler *d)
{
	if (!d)
		return;
	if (d->decode)
		disassemble_free_target(&d->info);
	address_names_free(&d->names);
	bfd_file_close(&d->image_file);
	bfd_file_close(&d->debug_file);
	strbuf_free(&d->line);
	strbuf_free(&d->error);
	free(d);
}

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
	address_name_add(&d->line, symbol, d->section, vma, d->options->demangle);
	strbuf_add_char(&d->line, ':');
	give(d, reader, DISASSEMBLY_SYMBOL, vma);
}

/* Bytes at the start of @bytes that are zero and that objdump would not decode. */
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

/* One instruction at @vma: its line, and its length. */
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

/* Decode what begins from @low on and before @stop, of a range that goes on to @high; @bytes, @nr
 * of them, are those at @low. */
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

/* Decode from @low to @high, both within the section at hand, in pieces of bounded size. */
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

/* Of zeros in front that all addresses of a section have, objdump leaves out fours. */
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
