/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.c - where a relative path of a line table begins: in the folder of its unit
 */
#include "pp/binary/line/dwarf_private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

void line_paths_forget(struct line_dwarf *d)
{
	for (size_t i = 0; i < d->nr_path_slots; i++)
		free(d->paths[i].whole);
	if (d->nr_path_slots)
		memset(d->paths, 0, d->nr_path_slots * sizeof(*d->paths));
	d->nr_paths = 0;
}

bool line_dwarf_unit(struct line_dwarf *d, uint64_t unit, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	line_paths_forget(d);
	d->folder = NULL;
	if (!dwarf_offdie(d->dwarf, unit, ret))
		return false;
	if (dwarf_attr(ret, DW_AT_comp_dir, &a))
		d->folder = dwarf_formstring(&a);
	return true;
}

static struct line_path *find_slot(struct line_path *slots, size_t nr, const char *given)
{
	size_t at = hash_u64((uintptr_t)given) & (nr - 1);

	while (slots[at].given && slots[at].given != given)
		at = (at + 1) & (nr - 1);
	return &slots[at];
}

static void grow(struct line_dwarf *d)
{
	size_t nr = d->nr_path_slots ? 2 * d->nr_path_slots : 256;
	struct line_path *slots = xcalloc(nr, sizeof(*slots));

	for (size_t i = 0; i < d->nr_path_slots; i++)
		if (d->paths[i].given)
			*find_slot(slots, nr, d->paths[i].given) = d->paths[i];
	free(d->paths);
	d->paths = slots;
	d->nr_path_slots = nr;
}

/* Of a table's first folder libdw has made use, of the others it has not. */
static char *below_folder(const char *folder, const char *path)
{
	size_t n = folder ? strlen(folder) : 0;

	if (!n || *path == '/' || (!strncmp(path, folder, n) && path[n] == '/'))
		return NULL;
	return path_join(folder, path);
}

const char *line_dwarf_path(struct line_dwarf *d, const char *given)
{
	struct line_path *slot;

	if (!given)
		return NULL;
	if (2 * d->nr_paths >= d->nr_path_slots)
		grow(d);
	slot = find_slot(d->paths, d->nr_path_slots, given);
	if (!slot->given) {
		slot->given = given;
		slot->whole = below_folder(d->folder, given);
		d->nr_paths++;
	}
	return slot->whole ? slot->whole : given;
}
