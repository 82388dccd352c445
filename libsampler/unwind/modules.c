// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modules.c - the modules that were reported to libdwfl
 *
 * A module is reported when the first frame in it is found, so that modules without samples cost
 * nothing. When modules are unloaded the rest is reported again; libdwfl recognizes them by name
 * and address, and keeps their tables.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsampler/sampling.h"
#include "libsampler/unwind/files.h"
#include "libsampler/unwind/modules.h"
#include "libutil/sorted.h"

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
	struct reported_module *reported = *data;

	(void)module;
	(void)name;
	(void)base;
	(void)ret_name;
	*ret_elf = reported ? unwind_file_open(reported->module, &reported->bytes) : NULL;
	return -1;	/* no descriptor */
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static Dwfl_Module *report(struct reported_modules *all, const struct module *m)
{
	char name[32];

	snprintf(name, sizeof(name), "%ju", (uintmax_t)m->serial);
	return dwfl_report_module(all->dwfl, name, m->load_start, m->load_limit);
}

static size_t find(const struct reported_modules *all, const struct module *m)
{
	return first_not(all->nr, i, all->list[i].module < m);
}

static struct reported_module *insert(struct reported_modules *all, size_t at)
{
	if (all->nr == all->room) {
		size_t room = all->room ? 2 * all->room : 16;
		struct reported_module *list = realloc(all->list, room * sizeof(*list));

		if (!list)
			return NULL;
		all->list = list;
		all->room = room;
	}
	memmove(all->list + at + 1, all->list + at, (all->nr++ - at) * sizeof(*all->list));
	return &all->list[at];
}

/* Reads the file; an unusable one has no call frame information. */
static void find_cfi(struct reported_module *r)
{
	GElf_Addr bias;
	Dwarf_Addr cfi_bias;
	void **data;
	bool has_file;

	if (!r->dwfl)
		return;
	dwfl_module_info(r->dwfl, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = r;
	has_file = dwfl_module_getelf(r->dwfl, &bias) && bias == r->module->public.base;
	atomic_store(&((struct module *)r->module)->is_unread, !has_file);
	r->has_cfi = has_file &&
		     (dwfl_module_eh_cfi(r->dwfl, &cfi_bias) ||
		      dwfl_module_dwarf_cfi(r->dwfl, &cfi_bias));
	*data = NULL;	/* the table moves */
}

const struct reported_module *reported_find(const struct reported_modules *all,
					    const struct module *m)
{
	size_t at = find(all, m);

	return at < all->nr && all->list[at].module == m ? &all->list[at] : NULL;
}

const struct reported_module *reported_add(struct reported_modules *all,
					   const struct module *m)
{
	struct reported_module new = { .module = m };
	size_t at = find(all, m);

	if (reported_find(all, m) || !insert(all, at))
		return reported_find(all, m);
	dwfl_report_begin_add(all->dwfl);
	new.dwfl = report(all, m);
	dwfl_report_end(all->dwfl, NULL, NULL);
	find_cfi(&new);
	all->list[at] = new;
	return &all->list[at];
}

void reported_remove_gone(struct reported_modules *all)
{
	unsigned long generation = modules_generation();
	size_t nr = 0;

	if (generation == all->generation)
		return;
	all->generation = generation;
	for (size_t i = 0; i < all->nr && nr == i; i++)
		nr += !atomic_load(&all->list[i].module->is_gone);
	if (nr == all->nr)
		return;
	dwfl_report_begin(all->dwfl);
	for (size_t i = nr = 0; i < all->nr; i++) {
		if (atomic_load(&all->list[i].module->is_gone))
			continue;
		report(all, all->list[i].module);
		all->list[nr++] = all->list[i];
	}
	all->nr = nr;
	dwfl_report_end(all->dwfl, NULL, NULL);
}

int reported_init(struct reported_modules *all)
{
	memset(all, 0, sizeof(*all));
	all->dwfl = dwfl_begin(&callbacks);
	return all->dwfl ? 0 : -ENOMEM;
}

void reported_free(struct reported_modules *all)
{
	if (all->dwfl)
		dwfl_end(all->dwfl);
	for (size_t i = 0; i < all->nr; i++)
		free(all->list[i].bytes);
	free(all->list);
}
