/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disassemble.c - disassemble code of this test and compare the lines */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>

#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "pp/binary/disassemble/disassemble.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#ifdef __x86_64__
__asm__(".text\n.globl sample_code\n.type sample_code, @function\nsample_code:\n"
	"	nop\n	mov $0x5, %eax\n	call sample_next\n	ret\n"
	"	.zero 17\n	int3\n"
	".globl sample_next\n.type sample_next, @function\nsample_next:\n	jmp sample_code+1\n"
	"	ret\n.globl sample_end\nsample_end:\n	ud2\n");
#endif

static void put(void *context, enum disassembly_line kind, uint64_t vma, const char *text)
{
	const char *tab = strchr(text, '\t');

	if (kind == DISASSEMBLY_INSTRUCTION)
		strbuf_addf(context, "%s\n", tab ? tab + 1 : "?");
	else if (kind == DISASSEMBLY_SYMBOL)
		strbuf_addf(context, "%s\n", strchr(text, '<'));
	else if (kind == DISASSEMBLY_OTHER)
		strbuf_addf(context, "%s\n", text + 1);
	(void)vma;
}

static const struct code_symbol *symbol(const struct binary *b, const char *name)
{
	for (size_t i = 0; i < b->nr_symbols; i++)
		if (!strcmp(b->symbols[i].name, name))
			return &b->symbols[i];
	return NULL;
}

/* Remove addresses, which depend on the linker: "call 1234 <x>" becomes "call <x>". */
static void drop_addresses(char *text)
{
	char *out = text;

	for (const char *in = text; *in; ) {
		size_t digits = strspn(in, "0123456789abcdef");

		if (in > text && in[-1] == ' ' && digits > 3 && in[digits] == ' ' &&
		    in[digits + 1] == '<')
			in += digits + 1;
		else
			*out++ = *in++;
	}
	*out = '\0';
}

static char *lines_of(const char *from, const char *to, const char *params)
{
	const struct binary_options how = { .root = "" };
	struct disassemble_options options;
	struct strbuf text = STRBUF_INIT;
	const struct disassembly_reader reader = { .line = put, .context = &text };
	struct op_error e = { "" };
	struct disassembler *d;
	struct binary b;

	CHECK(!disassemble_options_parse(params, &options, &e), "%s", e.text);
	CHECK(!binary_open("/proc/self/exe", &how, &b, &e), "%s", e.text);
	CHECK(!disassembler_open(&b, &options, true, &d, &e), "%s", e.text);
	disassemble(d, ".text", symbol(&b, from)->vma, symbol(&b, to)->vma, &reader);
	disassembler_close(d);
	binary_close(&b);
	disassemble_options_free(&options);
	drop_addresses(text.text);
	return strbuf_steal(&text);
}

static void check(const char *params, const char *want)
{
#ifdef __x86_64__
	char *got = lines_of("sample_code", "sample_end", params);

	CHECK(!strcmp(got, want), "got\n%s", got);
	free(got);
#else
	(void)params, (void)want, (void)put, (void)symbol, (void)drop_addresses, (void)lines_of;
	SKIP("written for x86-64");
#endif
}

TEST(att)
{
	check("", "<sample_code>:\nnop\nmov    $0x5,%eax\ncall   <sample_next>\nret\n...\n"
	      "add    %cl,%ah\n<sample_next>:\njmp    <sample_code+0x1>\nret\n");
}

TEST(intel)
{
	check("-M intel", "<sample_code>:\nnop\nmov    eax,0x5\ncall   <sample_next>\nret\n...\n"
	      "add    ah,cl\n<sample_next>:\njmp    <sample_code+0x1>\nret\n");
}

TEST(invalid_words)
{
	const struct binary_options how = { .root = "" };
	struct disassemble_options options = { .target = (char *)"no-such-word" };
	struct op_error e = { "" };
	struct disassembler *d;
	struct binary b;

#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	CHECK(!binary_open("/proc/self/exe", &how, &b, &e), "%s", e.text);
	CHECK(disassembler_open(&b, &options, true, &d, &e) == -EINVAL, "refused");
	CHECK(strstr(e.text, "no-such-word"), "%s", e.text);
	binary_close(&b);
}

/* libbfd 2.44 would end the program. */
TEST(a_symbol_table_beyond_the_end)
{
	const struct binary_options how = { .root = "" };
	struct disassemble_options options;
	struct op_error e = { "" };
	struct disassembler *d;
	struct binary b;
	char *bytes;
	size_t size;
	ElfW(Shdr) *section;

	tmpdir_make();
	CHECK(!file_read_all("/proc/self/exe", (size_t)64 << 20, &bytes, &size), "read");
	section = (ElfW(Shdr) *)(bytes + ((ElfW(Ehdr) *)bytes)->e_shoff);
	while (section->sh_type != SHT_SYMTAB)
		section++;
	section->sh_size = size - section->sh_offset + section->sh_entsize;
	put_file(tmpdir_path("beyond"), bytes, size);
	CHECK(!disassemble_options_parse("", &options, &e), "%s", e.text);
	CHECK(!binary_open(tmpdir_path("beyond"), &how, &b, &e), "%s", e.text);
	CHECK(disassembler_open(&b, &options, true, &d, &e) == -EPROTO &&
	      strstr(e.text, "beyond the end"), "%s", e.text);
	binary_close(&b);
	disassemble_options_free(&options);
	free(bytes);
}

TEST_MAIN()
