/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks_names.c - see stacks_names.h: out of a program's symbol table, and /proc/kallsyms */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/vm/stacks_names.h"

struct symbol {
	uint64_t address;
	const char *name;
};

void die(const char *what)
{
	fprintf(stderr, "stacks: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void add_symbol(struct symbols *s, uint64_t address, const char *name)
{
	if (!(s->nr & (s->nr - 1)))
		s->list = realloc(s->list, (s->nr ? 2 * s->nr : 1) * sizeof(*s->list));
	if (!s->list)
		die("memory");
	s->list[s->nr++] = (struct symbol){ address, name };
}

const char *name_of(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? s->list[low - 1].name : "?";
}

static uint64_t offset_of(const char *elf, uint64_t address)
{
	const Elf64_Ehdr *e = (const void *)elf;
	const Elf64_Phdr *p = (const void *)(elf + e->e_phoff);

	for (int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr &&
		    address < p[i].p_vaddr + p[i].p_filesz)
			return address - p[i].p_vaddr + p[i].p_offset;
	return 0;
}

void read_program(struct symbols *program, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *sections;
	const Elf64_Ehdr *e;
	const char *elf;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	elf = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (elf == MAP_FAILED)
		die(path);
	close(fd);
	e = (const void *)elf;
	sections = (const void *)(elf + e->e_shoff);
	for (int i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(elf + sections[i].sh_offset);
		const char *names = elf + sections[sections[i].sh_link].sh_offset;

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t n = sections[i].sh_size / sizeof(*sym); n--; sym++)
			if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_value)
				add_symbol(program, offset_of(elf, sym->st_value),
					   names + sym->st_name);
	}
	qsort(program->list, program->nr, sizeof(*program->list), by_address);
}

void read_kernel(struct symbols *kernel)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char type, name[256];

	while (f && fscanf(f, "%llx %c %255s%*[^\n]", &address, &type, name) == 3)
		if (strchr("tTwW", type))
			add_symbol(kernel, address, strdup(name));
	if (f)
		fclose(f);
	qsort(kernel->list, kernel->nr, sizeof(*kernel->list), by_address);
}
