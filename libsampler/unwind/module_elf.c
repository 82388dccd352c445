// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_elf.c - read the program and its libraries from the dynamic loader
 *
 * Nothing is unloaded while dl_iterate_phdr() runs, so headers and notes are read in memory there,
 * and only there. It takes the loader's lock, which a thread that is stopped for a copy may hold,
 * so it is not called meanwhile, nor with a lock of ours. [SM-40]
 */
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libsampler/unwind/module.h"
#include "libutil/hash.h"

#define VDSO_NAME "[vdso]"

static int count_changes(struct dl_phdr_info *info, size_t size, void *context)
{
	unsigned long long *ret = context;

	(void)size;
	*ret = info->dlpi_adds + info->dlpi_subs;
	return 1;	/* all objects have the same */
}

unsigned long long module_changes(void)
{
	unsigned long long changes = 0;

	dl_iterate_phdr(count_changes, &changes);
	return changes;
}

static uintptr_t page_down(uintptr_t address)
{
	return address & -(uintptr_t)sysconf(_SC_PAGESIZE);
}

static uintptr_t page_up(uintptr_t address)
{
	return page_down(address + sysconf(_SC_PAGESIZE) - 1);
}

static void cover(uintptr_t *start, uintptr_t *limit, uintptr_t from, uintptr_t to)
{
	if (*start == *limit)
		*start = from;
	if (from < *start)
		*start = from;
	if (to > *limit)
		*limit = to;
}

static void read_loads(const struct dl_phdr_info *info, struct module_object *o)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = page_down(info->dlpi_addr + h->p_vaddr);
		uintptr_t limit = page_up(info->dlpi_addr + h->p_vaddr + h->p_memsz);

		if (h->p_type != PT_LOAD || !h->p_memsz)
			continue;
		cover(&o->load_start, &o->load_limit, start, limit);
		if (h->p_flags & PF_X)
			cover(&o->start, &o->limit, start, limit);
	}
}

static void read_build_id(const struct dl_phdr_info *info, struct module_object *o)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t notes = info->dlpi_addr + h->p_vaddr;

		/* notes may not be loaded */
		if (h->p_type == PT_NOTE && notes >= o->load_start && notes <= o->load_limit &&
		    h->p_memsz <= o->load_limit - notes &&
		    !build_id_read_notes((const void *)notes, h->p_memsz, &o->build_id))
			return;
	}
}

static bool has_vdso(const struct module_object *o)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);

	return vdso && vdso >= o->load_start && vdso < o->load_limit;
}

static int read_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct module_objects *all = context;
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	struct module_object o = { .base = info->dlpi_addr };

	(void)size;
	all->changes = info->dlpi_adds + info->dlpi_subs;
	read_loads(info, &o);
	if (o.start == o.limit)
		return 0;
	if (all->nr == all->room) {
		size_t room = all->room ? 2 * all->room : 32;
		struct module_object *list = realloc(all->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		all->list = list;
		all->room = room;
	}
	read_build_id(info, &o);
	o.headers_hash = hash_bytes(info->dlpi_phdr, info->dlpi_phnum * sizeof(ElfW(Phdr)));
	o.is_main = !*name && !has_vdso(&o);
	o.name = strdup(has_vdso(&o) ? VDSO_NAME : name);
	if (!o.name)
		return -ENOMEM;
	all->list[all->nr++] = o;
	return 0;
}

int module_objects_read(struct module_objects *ret)
{
	struct module_objects all = { 0 };
	int err = dl_iterate_phdr(read_object, &all);

	if (err) {
		module_objects_free(&all);
		return err;
	}
	*ret = all;
	return 0;
}

void module_objects_free(struct module_objects *objects)
{
	for (size_t i = 0; i < objects->nr; i++)
		free(objects->list[i].name);
	free(objects->list);
	*objects = (struct module_objects){ 0 };
}

/* The path that the program was started from, also if the file is deleted. */
static char *main_path(void)
{
	static const char deleted[] = " (deleted)";
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	size_t tail = sizeof(deleted) - 1;

	if (len <= 0)
		return strdup(program_invocation_name);
	path[len] = '\0';
	if ((size_t)len > tail && !strcmp(path + len - tail, deleted) && access(path, F_OK))
		path[len - tail] = '\0';
	return strdup(path);
}

char *module_path(const struct module_object *object)
{
	char *path;

	if (object->is_main)
		return main_path();
	path = strchr(object->name, '/') ? realpath(object->name, NULL) : NULL;
	return path ? path : strdup(object->name);
}

bool module_vdso(const struct module *m, struct module_vdso *ret)
{
	const ElfW(Ehdr) *header = (const void *)m->load_start;
	size_t size = m->load_limit - m->load_start, sections;

	if (!m->is_vdso)
		return false;
	sections = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	ret->image = header;
	ret->size = sections > size ? size : sections;
	return true;
}
