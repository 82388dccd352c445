/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bombs.c - small hostile files whose sections share bytes: memory for them is bounded
 *
 * Each file has at most a megabyte; a header for the same bytes costs its author 64 more.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "pp/binary/binary.h"
#include "tests/tap.h"
#include "tests/unit/reader_size.h"
#include "tests/unit/tmpdir.h"

#define CODE_VMA	0x1000000
#define SLOT		0x2000000
#define CODE_SIZE	(512 * 1024)
#define MOST_COPIES	1000

enum { NOTHING, DYNSYM, DYNSTR, NAMES, TABLES };

static const char names[] = "\0.plt\0.rela.plt\0.dynsym\0.dynstr\0.shstrtab";

struct elf_bomb {
	Elf64_Ehdr header;
	Elf64_Sym symbols[2];
	char strings[8];
	char names[sizeof(names)];
	Elf64_Rela slots[CODE_SIZE / sizeof(Elf64_Rela)];
	unsigned char code[CODE_SIZE];
	Elf64_Shdr sections[TABLES + MOST_COPIES];
};

static Elf64_Shdr section(uint32_t name, uint32_t type, size_t offset, size_t size)
{
	return (Elf64_Shdr){ .sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = size,
			     .sh_flags = SHF_ALLOC, .sh_link = DYNSYM };
}

#define PLACED(name, type, field)							\
	section(name, type, offsetof(struct elf_bomb, field), sizeof(((struct elf_bomb *)0)->field))

/* All jump through the slot of one symbol. */
static void add_entries(struct elf_bomb *b)
{
	for (uint32_t at = 0; at < CODE_SIZE; at += 16) {
		uint32_t distance = SLOT - (CODE_VMA + at + 6);

		memcpy(b->code + at, "\xff\x25", 2);
		memcpy(b->code + at + 2, &distance, sizeof(distance));
	}
}

static const char *make_bomb(size_t nr_plt, size_t nr_rela)
{
	struct elf_bomb *b = calloc(1, sizeof(*b));
	size_t nr = TABLES;
	const char *path;
	int fd;

	memcpy(b->header.e_ident, "\x7f" "ELF\2\1\1", 7);
	b->header.e_type = ET_DYN;
	b->header.e_machine = EM_X86_64;
	b->header.e_shoff = offsetof(struct elf_bomb, sections);
	b->header.e_shentsize = sizeof(Elf64_Shdr);
	b->header.e_shstrndx = NAMES;
	memcpy(b->names, names, sizeof(names));
	b->symbols[1].st_name = 1;
	memset(b->strings + 1, 'n', sizeof(b->strings) - 2);
	for (size_t i = 0; i < sizeof(b->slots) / sizeof(*b->slots); i++)
		b->slots[i] = (Elf64_Rela){ SLOT, ELF64_R_INFO(1, 7), 0 };
	add_entries(b);
	b->sections[DYNSYM] = PLACED(16, SHT_DYNSYM, symbols);
	b->sections[DYNSYM].sh_link = DYNSTR;
	b->sections[DYNSTR] = PLACED(24, SHT_STRTAB, strings);
	b->sections[NAMES] = PLACED(32, SHT_STRTAB, names);
	while (nr_rela--)
		b->sections[nr++] = PLACED(6, SHT_RELA, slots);
	while (nr_plt--) {
		b->sections[nr] = PLACED(1, SHT_PROGBITS, code);
		b->sections[nr].sh_flags |= SHF_EXECINSTR;
		b->sections[nr++].sh_addr = CODE_VMA;
	}
	b->header.e_shnum = (uint16_t)nr;
	path = tmpdir_path("bomb");
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK(fd >= 0 && write(fd, b, sizeof(*b)) == sizeof(*b) && !close(fd), "write");
	free(b);
	return path;
}

static bool read_binary(const void *path)
{
	const struct binary_options how = { .functions = true, .root = "" };
	struct op_error e = { "" };
	struct binary b;

	if (binary_open(path, &how, &b, &e))
		return false;
	binary_close(&b);
	return true;
}

TEST(one_linkage_table)
{
	const struct binary_options how = { .functions = true, .root = "" };
	struct op_error e = { "" };
	struct binary b;

	tmpdir_make();
	CHECK(!binary_open(make_bomb(1, 1), &how, &b, &e), "%s", e.text);
	CHECK(b.nr_symbols > 1000 && strstr(b.symbols[0].name, "nnn@plt"), "%zu", b.nr_symbols);
	binary_close(&b);
}

TEST(many_linkage_tables)
{
	tmpdir_make();
	CHECK(check_reader_size(read_binary, make_bomb(40, 1), "40 .plt"), "is read");
	CHECK(check_reader_size(read_binary, make_bomb(MOST_COPIES - 1, 1), "999 .plt"), "is read");
}

TEST(many_relocations)
{
	tmpdir_make();
	CHECK(check_reader_size(read_binary, make_bomb(1, MOST_COPIES - 1), "999 .rela"),
	      "is read");
}

/* A sparse file of any length costs nothing, and its header may claim that many sections. */
TEST(sections_beyond_count)
{
	const struct binary_options how = { .root = "" };
	Elf64_Shdr first = { .sh_size = 1 << 24 };
	struct op_error e = { "" };
	uint16_t none = 0;
	struct binary b;
	const char *path;
	int fd;

	tmpdir_make();
	path = make_bomb(1, 1);
	fd = open(path, O_WRONLY);
	CHECK(pwrite(fd, &none, 2, offsetof(Elf64_Ehdr, e_shnum)) == 2 &&
	      pwrite(fd, &first, sizeof(first), offsetof(struct elf_bomb, sections)) ==
	      sizeof(first) && !ftruncate(fd, INT64_C(1) << 32) && !close(fd), "make it sparse");
	CHECK(binary_open(path, &how, &b, &e) == -ENOEXEC && strstr(e.text, "sections"), "'%s'",
	      e.text);
}

TEST_MAIN()
