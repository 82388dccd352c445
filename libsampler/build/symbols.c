// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols.c - the functions in a file's symbol table, by offset in the file
 *
 * From the file's own table, or that of its debug file below /usr/lib/debug, or the exported
 * symbols. The network is not used, and debugging information is not read.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libsampler/build/names.h"
#include "libutil/build_id.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

#define DEBUG_FILES	"/usr/lib/debug/.build-id"

struct symbol {
	uint64_t start, size;		/* addresses; size 0: unknown */
	const char *name;
};

struct load {
	uint64_t offset, size, address;
};

struct elf_file {
	int fd;				/* -1: none */
	Elf *elf;
};

struct build_symbols {
	struct elf_file file, debug;
	struct load *loads;
	size_t nr_loads, loads_room;
	struct symbol *symbols;		/* sorted */
	size_t nr, room;
};

static void close_elf(struct elf_file *f)
{
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct elf_file){ .fd = -1 };
}

static bool open_elf(const char *path, const char *build_id, struct elf_file *ret)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;
	struct elf_file f = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };

	elf_version(EV_CURRENT);
	if (f.fd >= 0 && (!*build_id || (!build_id_read_fd(f.fd, &id) &&
					 !strcmp(build_id_text(&id, text), build_id))))
		f.elf = elf_begin(f.fd, ELF_C_READ_MMAP, NULL);
	if (f.elf && elf_kind(f.elf) == ELF_K_ELF) {
		*ret = f;
		return true;
	}
	close_elf(&f);
	return false;
}

static void read_loads(struct build_symbols *s, Elf *elf)
{
	size_t nr;
	GElf_Phdr h;

	if (elf_getphdrnum(elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_LOAD)
			continue;
		xgrow(s->loads, s->nr_loads, s->loads_room);
		s->loads[s->nr_loads++] = (struct load){ h.p_offset, h.p_filesz, h.p_vaddr };
	}
}

static void add_symbol(void *symbols, const GElf_Sym *sym, const char *name)
{
	struct build_symbols *s = symbols;
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || !name || !*name ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC))
		return;
	xgrow(s->symbols, s->nr, s->room);
	s->symbols[s->nr++] = (struct symbol){ sym->st_value, sym->st_size, name };
}

void build_symbols_visit(Elf *elf, uint32_t type,
			 void (*add)(void *context, const GElf_Sym *sym, const char *name),
			 void *context)
{
	GElf_Shdr h;
	GElf_Sym sym;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &h) || h.sh_type != type || !h.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < data->d_size / h.sh_entsize; i++)
			if (gelf_getsym(data, (int)i, &sym))
				add(context, &sym, elf_strptr(elf, h.sh_link, sym.st_name));
	}
}

static void read_table(struct build_symbols *s, Elf *elf, uint32_t type)
{
	build_symbols_visit(elf, type, add_symbol, s);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct build_symbols *sorted(struct build_symbols *s)
{
	if (s->nr)
		qsort(s->symbols, s->nr, sizeof(*s->symbols), compare_symbols);
	return s;
}

static void read_debug_file(struct build_symbols *s, const char *build_id)
{
	char *path;

	if (strlen(build_id) < 3)
		return;
	path = xasprintf(DEBUG_FILES "/%.2s/%s.debug", build_id, build_id + 2);
	if (open_elf(path, build_id, &s->debug))
		read_table(s, s->debug.elf, SHT_SYMTAB);
	free(path);
}

struct build_symbols *build_symbols_open(const char *path, const char *build_id)
{
	struct build_symbols *s = xcalloc(1, sizeof(*s));

	s->file.fd = s->debug.fd = -1;
	if (!open_elf(path, build_id, &s->file)) {
		free(s);
		return NULL;
	}
	read_loads(s, s->file.elf);
	read_table(s, s->file.elf, SHT_SYMTAB);
	if (!s->nr)
		read_debug_file(s, build_id);
	if (!s->nr)
		read_table(s, s->file.elf, SHT_DYNSYM);
	return sorted(s);
}

void build_symbols_free(struct build_symbols *s)
{
	if (!s)
		return;
	close_elf(&s->file);
	close_elf(&s->debug);
	free(s->loads);
	free(s->symbols);
	free(s);
}

static bool address_of(const struct build_symbols *s, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < s->nr_loads; i++)
		if (offset - s->loads[i].offset < s->loads[i].size) {
			*ret = offset - s->loads[i].offset + s->loads[i].address;
			return true;
		}
	return false;
}

const char *build_symbols_find(const struct build_symbols *s, uint64_t offset)
{
	size_t low;
	uint64_t address;

	if (!address_of(s, offset, &address))
		return NULL;
	low = first_not(s->nr, i, s->symbols[i].start <= address);
	if (!low)
		return NULL;
	low--;
	if (s->symbols[low].size && address - s->symbols[low].start >= s->symbols[low].size)
		return NULL;
	return s->symbols[low].name;
}
