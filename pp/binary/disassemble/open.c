/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open.c - set up libopcodes for a binary: its machine, its names, and the words of -M */
#include "pp/binary/disassemble/private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/binary/private.h"

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
	if (slot)
		address_name_add(&d->line, slot, d->section, vma, d->options->demangle);
	else if (address_name_add_own(&d->line, d->binary, vma))
		return;
	else if (d->names.nr)
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

static struct disassembler *checked;	/* libbfd's error handler has no argument */

static void keep_error(const char *format, va_list args)
{
	strbuf_reset(&checked->error);
	strbuf_vaddf(&checked->error, format, args);
}

/* For x86, libopcodes accepts any word but interprets only these. */
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
				e, -EINVAL, "invalid -M '%.*s' in --objdump-params: expected "
				"intel, att, intel-mnemonic, att-mnemonic, suffix, x86-64, i386, "
				"i8086, addr64, addr32, addr16, data32, data16, amd64 or intel64",
				(int)(len > 80 ? 80 : len), words);
		words += len + (words[len] == ',');
	}
	return 0;
}

/* For other machines, libopcodes checks the words when it decodes an instruction: decode one. */
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
	checked = d;
	old = bfd_set_error_handler(keep_error);
	d->decode(0, &d->info);
	bfd_set_error_handler(old);
	strbuf_reset(&d->line);
	if (d->error.len)
		return op_error_set(e, -EINVAL, "invalid -M '%s' in --objdump-params: %s",
				    d->options->target, d->error.text);
	return 0;
}

static int set_up(struct disassembler *d, struct op_error *e)
{
	bfd *image = d->image;

	d->decode = disassembler(bfd_get_arch(image), bfd_big_endian(image), bfd_get_mach(image),
				 image);
	if (!d->decode)
		return op_error_set(e, -ENOTSUP, "unsupported machine %s",
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
	/* without the debug file's names there are still instructions */
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
		return op_error_set(e, -ENOTSUP, "not a file");
	d = xcalloc(1, sizeof(*d));
	d->options = options;
	d->binary = b;
	d->path = b->files->path;
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
