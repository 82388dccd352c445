// SPDX-License-Identifier: GPL-2.0-or-later
/* comdat.c - procedures of which each object has an instance, and the linker keeps one [XP-49] */
#include "feedback/gcov/comdat.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

struct names {
	const char **all;		/* in the file's string table */
	size_t nr, room;
};

/* Mark the sections of a group; they are numbers after a word of flags. */
static void mark_group(Elf_Scn *section, bool *in_group, size_t nr_sections)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const Elf32_Word *words = data ? data->d_buf : NULL;
	size_t nr = words ? data->d_size / sizeof(*words) : 0;

	if (!nr || !(words[0] & GRP_COMDAT))
		return;
	for (size_t i = 1; i < nr; i++)
		if (words[i] < nr_sections)
			in_group[words[i]] = true;
}

static void add_functions(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			  const bool *in_group, size_t nr_sections, struct names *names)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < nr && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= nr_sections ||
		    !in_group[symbol.st_shndx])
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name)
			continue;
		xgrow(names->all, names->nr, names->room);
		names->all[names->nr++] = name;
	}
}

/* Functions in COMDAT groups, sorted. */
static void read_names(Elf *elf, struct names *ret)
{
	Elf_Scn *section = NULL;
	size_t nr_sections = 0;
	GElf_Shdr header;
	bool *in_group;

	if (elf_getshdrnum(elf, &nr_sections))
		return;
	in_group = xcalloc(nr_sections + 1, sizeof(*in_group));
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GROUP)
			mark_group(section, in_group, nr_sections);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			add_functions(elf, section, &header, in_group, nr_sections, ret);
	free(in_group);
	if (ret->nr)
		qsort(ret->all, ret->nr, sizeof(*ret->all), compare_texts);
}

static void add_procs(const struct xprof *x, uint32_t object, const struct names *names,
		      struct gcov_comdats *ret)
{
	const struct xprof_object *o = &x->objects[object];

	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs && names->nr; i++) {
		const char *name = xprof_text(x, x->procs[i].name);

		if (!bsearch(&name, names->all, names->nr, sizeof(*names->all), compare_texts))
			continue;
		xgrow(ret->all, ret->nr, ret->room);
		ret->all[ret->nr++] = (struct gcov_instance){
			x->procs[i].name, object, x->procs[i].nr_counters > 0 };
	}
}

static int by_name(const void *a, const void *b)
{
	const struct gcov_instance *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

static int by_object(const void *a, const void *b)
{
	const struct gcov_instance *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return by_name(a, b);
}

/* The only instance, or the only one that ran, of @nr; NULL: it is not known which one is used. */
static const struct gcov_instance *used_instance(const struct gcov_instance *all, size_t nr)
{
	const struct gcov_instance *used = nr == 1 ? all : NULL;
	size_t nr_run = 0;

	for (size_t i = 0; i < nr && nr > 1; i++) {
		if (!all[i].has_run)
			continue;
		used = &all[i];
		nr_run++;
	}
	return nr_run > 1 ? NULL : used;
}

void gcov_add_comdats(struct xprof *x, struct gcov_comdats *comdats)
{
	struct xprof_program *program = &x->programs[x->nr_programs - 1];
	struct gcov_instance *all = comdats->all;
	const struct gcov_instance *used;
	size_t nr = 0;

	if (comdats->nr)
		qsort(all, comdats->nr, sizeof(*all), by_name);
	for (size_t i = 0, next; i < comdats->nr; i = next) {
		for (next = i + 1; next < comdats->nr && all[next].name == all[i].name; next++)
			;
		used = used_instance(all + i, next - i);
		if (used)
			all[nr++] = *used;
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_object);
	for (size_t i = 0; i < nr; i++)
		*xprof_add_comdats(x) = (struct xprof_comdat){
			all[i].name, x->objects[all[i].object].path };
	program->nr_comdats = (uint32_t)nr;
	free(all);
	*comdats = (struct gcov_comdats){ 0 };
}

bool gcov_find_comdats(const struct xprof *x, uint32_t object, struct gcov_comdats *ret)
{
	int fd = open(xprof_text(x, x->objects[object].path), O_RDONLY | O_CLOEXEC);
	struct names names = { 0 };
	bool is_elf = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		read_names(elf, &names);
		add_procs(x, object, &names, ret);
		is_elf = true;
	}
	free(names.all);
	elf_end(elf);
	close(fd);
	return is_elf;
}
