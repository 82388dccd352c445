// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vmlinux.c - find the text of a kernel image, and its address in the running kernel
 *
 * With address randomization (KASLR) the sampled addresses differ from those in the file by the
 * difference of the two _stext.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "control/machine/vmlinux.h"

struct kernel_text {
	uint64_t text;		/* start of section .text */
	uint64_t stext, start, etext;	/* symbols _stext, _text, _etext; 0: missing */
};

static void find_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			 struct kernel_text *ret)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; data && i < nr && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && !strcmp(name, "_stext"))
			ret->stext = symbol.st_value;
		else if (name && !strcmp(name, "_text"))
			ret->start = symbol.st_value;
		else if (name && !strcmp(name, "_etext"))
			ret->etext = symbol.st_value;
	}
}

static int read_elf(Elf *elf, struct kernel_text *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return -ENOEXEC;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			return -ENOEXEC;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".text") && header.sh_type == SHT_PROGBITS) {
			ret->text = header.sh_addr;
			if (!ret->etext)
				ret->etext = header.sh_addr + header.sh_size;
		} else if (header.sh_type == SHT_SYMTAB) {
			find_symbols(elf, section, &header, ret);
		}
	}
	return ret->text ? 0 : -ENOEXEC;
}

/* True of programs, which the loader loads, not of a kernel. */
static bool has_interpreter(Elf *elf)
{
	GElf_Phdr header;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr && gelf_getphdr(elf, i, &header); i++)
		if (header.p_type == PT_INTERP)
			return true;
	return false;
}

static int read_image(const char *path, struct kernel_text *ret, struct op_error *e)
{
	bool program = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	Elf *elf;

	if (fd < 0)
		return op_error_set(e, -errno, "cannot open kernel image '%s': %s", path,
				    strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	err = elf ? read_elf(elf, ret) : -ENOEXEC;
	if (!err)
		program = has_interpreter(elf);
	elf_end(elf);
	close(fd);
	if (program)
		return op_error_set(e, -ENOEXEC, "'%s' is a program, not a kernel image", path);
	if (err)
		op_error_set(e, err, "'%s' is not an uncompressed ELF kernel image with a .text "
			     "section; use vmlinux, not vmlinuz", path);
	return err;
}

static int check_symbols(const char *path, const struct kernel_text *text, struct op_error *e)
{
	if (text->stext || text->start)
		return 0;
	return op_error_set(e, -ENOEXEC, "'%s' has no symbol _stext: not a kernel image, or "
			    "stripped; for a stripped image give --kernel-range=START,END", path);
}

int vmlinux_check(const char *path, bool range_given, struct op_error *e)
{
	struct kernel_text text = { 0 };
	int err = read_image(path, &text, e);

	return err || range_given ? err : check_symbols(path, &text, e);
}

/* 0: unknown */
static uint64_t running_address(const char *kallsyms, const char *symbol)
{
	char line[512], name[128];
	uint64_t address, found = 0;
	FILE *f = fopen(kallsyms, "re");

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %*c %127s", &address, name) == 2 &&
		    !strcmp(name, symbol))
			found = address;
	fclose(f);
	return found;
}

int vmlinux_range(const char *path, const char *kallsyms, uint64_t *ret_start, uint64_t *ret_end,
		  struct op_error *e)
{
	struct kernel_text text = { 0 };
	uint64_t running, moved = 0;
	int err = read_image(path, &text, e);

	if (!err)
		err = check_symbols(path, &text, e);
	if (err)
		return err;
	running = running_address(kallsyms, text.stext ? "_stext" : "_text");
	if (running)
		moved = running - (text.stext ? text.stext : text.start);
	if (text.etext <= text.text)
		return op_error_set(e, -ENOEXEC,
				    "'%s': _etext is before .text; give --kernel-range=START,END",
				    path);
	*ret_start = text.text + moved;
	*ret_end = text.etext + moved;
	return 0;
}
