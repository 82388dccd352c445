// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modules.c - the modules that libdwfl was told of
 *
 * It is told of a module when the first frame in it is found, and of nothing else, so that what is
 * loaded and never sampled costs nothing. When modules are gone it is told of the rest again,
 * which it knows by name and place: their tables stay.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsampler/sampling.h"
#include "libsampler/unwind/files.h"
#include "libsampler/unwind/modules.h"

static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret_name)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret_name;
	return -1;
}

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    char **ret_name, Elf **ret_elf)
{
	struct told *told = *data;

	(void)module;
	(void)name;
	(void)base;
	(void)ret_name;
	*ret_elf = !told ? NULL : unwind_file_open(told->module, &told->bytes);
	return -1;	/* no file is open */
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static Dwfl_Module *report(struct told_modules *all, const struct module *m)
{
	char name[32];

	snprintf(name, sizeof(name), "%ju", (uintmax_t)m->serial);
	return dwfl_report_module(all->dwfl, name, m->load_start, m->load_limit);
}

static size_t find(const struct told_modules *all, const struct module *m)
{
	size_t low = 0, high = all->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all->told[middle].module < m)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct told *insert(struct told_modules *all, size_t at)
{
	if (all->nr == all->room) {
		size_t room = all->room ? 2 * all->room : 16;
		struct told *told = realloc(all->told, room * sizeof(*told));

		if (!told)
			return NULL;
		all->told = told;
		all->room = room;
	}
	memmove(all->told + at + 1, all->told + at, (all->nr++ - at) * sizeof(*all->told));
	return &all->told[at];
}

/* Reads the file. Whatever is wrong with it, there is nothing to unwind by. */
static void look_for_cfi(struct told *told)
{
	GElf_Addr bias;
	Dwarf_Addr cfi_bias;
	void **data;
	bool has_file;

	if (!told->dwfl)
		return;
	dwfl_module_info(told->dwfl, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = told;
	has_file = dwfl_module_getelf(told->dwfl, &bias) && bias == told->module->public.base;
	atomic_store(&((struct module *)told->module)->is_unread, !has_file);
	told->has_cfi = has_file &&
			(dwfl_module_eh_cfi(told->dwfl, &cfi_bias) ||
			 dwfl_module_dwarf_cfi(told->dwfl, &cfi_bias));
	*data = NULL;	/* the table moves */
}

const struct told *told_known(const struct told_modules *all, const struct module *m)
{
	size_t at = find(all, m);

	return at < all->nr && all->told[at].module == m ? &all->told[at] : NULL;
}

/* What libdwfl knows of @m; NULL: no memory. */
const struct told *told_tell(struct told_modules *all, const struct module *m)
{
	struct told told = { .module = m };
	size_t at = find(all, m);

	if (told_known(all, m) || !insert(all, at))
		return told_known(all, m);
	dwfl_report_begin_add(all->dwfl);
	told.dwfl = report(all, m);
	dwfl_report_end(all->dwfl, NULL, NULL);
	look_for_cfi(&told);
	all->told[at] = told;
	return &all->told[at];
}

void told_forget_gone(struct told_modules *all)
{
	unsigned long generation = modules_generation();
	size_t nr = 0;

	if (generation == all->generation)
		return;
	all->generation = generation;
	for (size_t i = 0; i < all->nr && nr == i; i++)
		nr += !atomic_load(&all->told[i].module->is_gone);
	if (nr == all->nr)
		return;
	dwfl_report_begin(all->dwfl);
	for (size_t i = nr = 0; i < all->nr; i++) {
		if (atomic_load(&all->told[i].module->is_gone))
			continue;
		report(all, all->told[i].module);
		all->told[nr++] = all->told[i];
	}
	all->nr = nr;
	dwfl_report_end(all->dwfl, NULL, NULL);
}

int told_init(struct told_modules *all)
{
	memset(all, 0, sizeof(*all));
	all->dwfl = dwfl_begin(&callbacks);
	return all->dwfl ? 0 : -ENOMEM;
}

void told_free(struct told_modules *all)
{
	if (all->dwfl)
		dwfl_end(all->dwfl);
	for (size_t i = 0; i < all->nr; i++)
		free(all->told[i].bytes);
	free(all->told);
}
