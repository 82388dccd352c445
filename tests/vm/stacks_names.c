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

#define ADD_SYMBOLS(program, elf, bits) do {							\
	const Elf##bits##_Ehdr *e = (const void *)(elf);					\
	const Elf##bits##_Shdr *sections = (const void *)((elf) + e->e_shoff);			\
	const Elf##bits##_Phdr *p = (const void *)((elf) + e->e_phoff);				\
												\
	for (int i = 0; i < e->e_shnum; i++) {							\
		const Elf##bits##_Sym *sym = (const void *)((elf) + sections[i].sh_offset);	\
		const char *names = (elf) + sections[sections[i].sh_link].sh_offset;		\
												\
		if (sections[i].sh_type != SHT_SYMTAB)						\
			continue;								\
		for (size_t n = sections[i].sh_size / sizeof(*sym); n--; sym++)			\
			for (int k = 0; k < e->e_phnum; k++)					\
				if (ELF##bits##_ST_TYPE(sym->st_info) == STT_FUNC &&		\
				    p[k].p_type == PT_LOAD && sym->st_value >= p[k].p_vaddr &&	\
				    sym->st_value < p[k].p_vaddr + p[k].p_filesz)		\
					add_symbol(program, sym->st_value - p[k].p_vaddr +	\
						   p[k].p_offset, names + sym->st_name);	\
	}											\
} while (0)

void read_program(struct symbols *program, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *elf;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	elf = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (elf == MAP_FAILED)
		die(path);
	close(fd);
	if (elf[EI_CLASS] == ELFCLASS64)
		ADD_SYMBOLS(program, elf, 64);
	else
		ADD_SYMBOLS(program, elf, 32);
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
