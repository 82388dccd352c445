/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf.c - line tables and inlined functions, decoded by libdw
 *
 * libdw keeps what it has decoded until the file is closed, many times the size of what the line
 * tables need. The file is therefore reopened now and then; a unit's offset stays valid.
 */
#include "pp/binary/line/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/dwarf_name.h"
#include "pp/binary/unpack.h"

#define UNITS_KEPT_OPEN	1000
#define ROWS_KEPT_OPEN	400000		/* about 40 MB of libdw's memory */
#define DEEPEST		200		/* nested blocks; damaged entries may nest without end */
#define RANGES_MAX	(1u << 24)	/* of one unit that are examined: seconds at most */
#define SPANS_MAX	(1u << 21)	/* of one unit: 120 MB; entries may share long lists */

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator	0x2136
#endif

/* A path of the current unit. */
struct line_path {
	const char *given;	/* libdw's */
	char *whole;		/* below the unit's folder; NULL: as given */
};

struct line_dwarf {
	char *path;
	int fd;			/* of the file, or of what was unpacked from it */
	struct stat file;
	Elf *own_elf;		/* closed with the rest */
	Elf *elf;		/* has the section addresses that are used here */
	Dwfl *dwfl;		/* of a relocatable file, else NULL */
	Dwfl_Module *module;
	Dwarf *dwarf;
	size_t rows_open, units_open;	/* that libdw holds in memory */
	const char *folder;		/* of the current unit; libdw's, or NULL */
	struct line_path *paths;
	size_t nr_paths, paths_room;
	struct hash_table by_given;	/* of paths, by pointer */
	struct dwarf_names names;	/* of functions, since the file was opened */
};

/* --- paths --- */

static void forget_paths(struct line_dwarf *d)
{
	for (size_t i = 0; i < d->nr_paths; i++)
		free(d->paths[i].whole);
	d->nr_paths = 0;
	hash_table_free(&d->by_given);
}

static bool has_given(const void *dwarf, uint32_t id, const void *given)
{
	return ((const struct line_dwarf *)dwarf)->paths[id].given == given;
}

/* libdw has prepended the unit's folder to the paths in it, but not to those in other folders. */
static char *below_folder(const char *folder, const char *path)
{
	size_t n = folder ? strlen(folder) : 0;

	if (!n || *path == '/' || (!strncmp(path, folder, n) && path[n] == '/'))
		return NULL;
	return path_join(folder, path);
}

/*
 * @given, or that path below the unit's folder if it is relative. The text lives until the next
 * unit; equal pointers give equal pointers.
 */
static const char *whole_path(struct line_dwarf *d, const char *given)
{
	uint64_t hash = hash_u64((uintptr_t)given);
	uint32_t id;

	if (!given)
		return NULL;
	id = hash_table_find(&d->by_given, hash, has_given, d, given);
	if (id == HASH_NONE) {
		xgrow(d->paths, d->nr_paths, d->paths_room);
		id = (uint32_t)d->nr_paths++;
		d->paths[id] = (struct line_path){ given, below_folder(d->folder, given) };
		hash_table_add(&d->by_given, hash, id);
	}
	return d->paths[id].whole ? d->paths[id].whole : given;
}

/* --- opening --- */

static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)ret;
	return -1;
}

/* libdwfl lays out the sections and applies the relocations. */
static int open_relocatable(struct line_dwarf *d, struct op_error *e)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = no_debug_file,
		.section_address = dwfl_offline_section_address,
	};
	Dwarf_Addr bias;
	int fd = dup(d->fd);	/* libdwfl closes it */

	d->dwfl = dwfl_begin(&callbacks);
	d->module = d->dwfl ? dwfl_report_offline(d->dwfl, "module", d->path, fd) : NULL;
	if (!d->module) {
		close(fd);
		return op_error_set(e, -EIO, "%s", dwfl_errmsg(-1));
	}
	dwfl_report_end(d->dwfl, NULL, NULL);
	d->dwarf = dwfl_module_getdwarf(d->module, &bias);
	d->elf = dwfl_module_getelf(d->module, &bias);
	return d->dwarf && d->elf ? 0 : -ENODATA;
}

static int open_linked(struct line_dwarf *d)
{
	d->dwarf = dwarf_begin_elf(d->elf, DWARF_C_READ, NULL);
	return d->dwarf ? 0 : -ENODATA;
}

static bool is_relocatable(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_type == ET_REL;
}

static int open_file(struct line_dwarf *d, struct op_error *e)
{
	d->fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (d->fd < 0 || fstat(d->fd, &d->file))
		return op_error_set(e, -errno, "%s", strerror(errno));
	return S_ISREG(d->file.st_mode) ? 0 : op_error_set(e, -ENOEXEC, "not a regular file");
}

/* libdw may have been built without these formats. */
static int unpack(struct line_dwarf *d, struct op_error *e)
{
	unsigned char *bytes;
	size_t size;
	int err = file_unpack(d->fd, d->path, &bytes, &size, e);

	if (err)
		return err;
	close(d->fd);
	d->fd = memory_file(bytes, size);
	free(bytes);
	return d->fd < 0 ? op_error_set(e, -errno, "%s", strerror(errno)) : 0;
}

static int open_elf(struct line_dwarf *d, struct op_error *e)
{
	int err = open_file(d, e);

	if (!err && file_is_packed(d->path))
		err = unpack(d, e);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	d->own_elf = d->elf = elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	return d->elf ? 0 : op_error_set(e, -EIO, "%s", elf_errmsg(-1));
}

static int open_dwarf(struct line_dwarf *d, struct op_error *e)
{
	if (elf_kind(d->elf) == ELF_K_ELF)
		return is_relocatable(d->elf) ? open_relocatable(d, e) : open_linked(d);
	return op_error_set(e, -ENOEXEC, "not an object file");
}

int line_dwarf_open(const char *path, struct line_dwarf **ret, struct op_error *e)
{
	struct line_dwarf *d = xcalloc(1, sizeof(*d));
	int err;

	d->path = xstrdup(path);
	err = open_elf(d, e);
	if (!err)
		err = open_dwarf(d, e);
	if (err) {
		line_dwarf_close(d);
		return err;
	}
	*ret = d;
	return 0;
}

void line_dwarf_close(struct line_dwarf *d)
{
	if (!d)
		return;
	if (d->dwfl)
		dwfl_end(d->dwfl);	/* with the Dwarf and its Elf */
	else
		dwarf_end(d->dwarf);
	elf_end(d->own_elf);
	if (d->fd >= 0)
		close(d->fd);
	forget_paths(d);
	dwarf_names_free(&d->names);
	free(d->paths);
	free(d->path);
	free(d);
}

const struct stat *line_dwarf_file(const struct line_dwarf *d)
{
	return &d->file;
}

bool line_dwarf_section(const struct line_dwarf *d, const char *name, uint64_t *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(d->elf, &names))
		return false;
	while ((section = elf_nextscn(d->elf, section)) != NULL) {
		const char *its_name = gelf_getshdr(section, &header)
				     ? elf_strptr(d->elf, names, header.sh_name) : NULL;

		if (!its_name || !(header.sh_flags & SHF_ALLOC) || strcmp(its_name, name))
			continue;
		*ret = header.sh_addr;
		return true;
	}
	return false;
}

/* --- units and their line tables --- */

struct unit_list {
	struct line_unit *units;
	size_t nr, room;
};

static void add_unit(struct unit_list *list, uint64_t low, uint64_t high, uint64_t unit)
{
	/* code that the linker threw away stays described, at address 0 */
	if (high <= low || !low)
		return;
	xgrow(list->units, list->nr, list->room);
	list->units[list->nr++] = (struct line_unit){ low, high, unit };
}

static void add_aranges(struct line_dwarf *d, struct unit_list *list)
{
	Dwarf_Aranges *aranges;
	size_t nr;

	if (dwarf_getaranges(d->dwarf, &aranges, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Addr start;
		Dwarf_Word length;
		Dwarf_Off unit;

		if (!dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &length, &unit))
			add_unit(list, start, start + length, unit);
	}
}

static void add_ranges(struct unit_list *list, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		add_unit(list, start, end, dwarf_dieoffset(die));
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Compilers leave units out of .debug_aranges; clang leaves out all of them. */
static void add_other_units(struct line_dwarf *d, struct unit_list *list)
{
	size_t nr = list->nr, header;
	uint64_t *known = xcalloc(nr + 1, sizeof(*known));
	Dwarf_Off offset = 0, next;

	for (size_t i = 0; i < nr; i++)
		known[i] = list->units[i].unit;
	qsort(known, nr, sizeof(*known), compare_offsets);
	while (!dwarf_nextcu(d->dwarf, offset, &next, &header, NULL, NULL, NULL) && next > offset) {
		uint64_t unit = offset + header;
		Dwarf_Die die;

		if (!bsearch(&unit, known, nr, sizeof(*known), compare_offsets) &&
		    dwarf_offdie(d->dwarf, unit, &die))
			add_ranges(list, &die);
		offset = next;
	}
	free(known);
}

int line_dwarf_units(struct line_dwarf *d, struct line_record *ret)
{
	struct unit_list list = { 0 };
	int err;

	add_aranges(d, &list);
	add_other_units(d, &list);
	err = line_record_units(list.units, list.nr, ret);
	free(list.units);
	return err;
}

/* Free libdw's memory and the file's pages. On failure the file stays open. */
static void reopen(struct line_dwarf *d)
{
	Elf *elf = d->dwfl ? NULL : elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (!dwarf) {
		elf_end(elf);
		return;
	}
	dwarf_names_free(&d->names);
	dwarf_end(d->dwarf);
	elf_end(d->own_elf);
	d->own_elf = d->elf = elf;
	d->dwarf = dwarf;
	d->rows_open = d->units_open = 0;
}

static void make_room(struct line_dwarf *d)
{
	if (d->rows_open > ROWS_KEPT_OPEN || d->units_open++ > UNITS_KEPT_OPEN)
		reopen(d);
}

/* The entry of @unit, which becomes the current one. */
static bool open_unit(struct line_dwarf *d, uint64_t unit, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	forget_paths(d);
	d->folder = NULL;
	if (!dwarf_offdie(d->dwarf, unit, ret))
		return false;
	if (dwarf_attr(ret, DW_AT_comp_dir, &a))
		d->folder = dwarf_formstring(&a);
	return true;
}

static size_t copy_rows(struct line_dwarf *d, Dwarf_Lines *lines, size_t nr, struct line_row *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		bool ends = false;
		int number = 0;

		if (!line || dwarf_lineaddr(line, &address) ||
		    (kept && address < rows[kept - 1].address))
			continue;
		dwarf_lineno(line, &number);
		dwarf_lineendsequence(line, &ends);
		rows[kept++] = (struct line_row){
			.address = address,
			.file = ends ? NULL : whole_path(d, dwarf_linesrc(line, NULL, NULL)),
			.line = number > 0 ? number : 0,
		};
	}
	return kept;
}

/* Drop code that the linker discarded: it is at address 0, far from the rest. */
static void drop_leading(struct line_row **rows, size_t *nr)
{
	while (*nr > 1 && (*rows)[*nr - 1].address - (*rows)[0].address > UINT32_MAX) {
		(*rows)++;
		(*nr)--;
	}
}

int line_dwarf_rows(struct line_dwarf *d, uint64_t unit, struct line_record *ret)
{
	struct line_row *rows, *first;
	Dwarf_Lines *lines;
	Dwarf_Die die;
	size_t nr = 0;
	int err;

	make_room(d);
	if (!open_unit(d, unit, &die))
		return -EBADMSG;
	if (!dwarf_hasattr(&die, DW_AT_stmt_list))
		return line_record_rows(NULL, 0, ret);
	if (dwarf_getsrclines(&die, &lines, &nr))
		return -EBADMSG;
	d->rows_open += nr;
	first = rows = xcalloc(nr + 1, sizeof(*rows));
	nr = copy_rows(d, lines, nr, rows);
	drop_leading(&first, &nr);
	err = line_record_rows(first, nr, ret);
	free(rows);
	return err;
}

/* --- inlined functions --- */

struct walk {
	struct line_dwarf *dwarf;
	enum inline_detail detail;
	size_t nr_ranges;
	const uint64_t *addresses;
	size_t nr_addresses;
	Dwarf_Files *files;
	size_t nr_files;
	struct inline_span *spans;
	size_t nr, room;
};

static bool has_address(const struct walk *w, uint64_t low, uint64_t high)
{
	size_t from = 0, to = w->nr_addresses;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (w->addresses[middle] < low)
			from = middle + 1;
		else
			to = middle;
	}
	return from < w->nr_addresses && w->addresses[from] < high;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &a) && !dwarf_formudata(&a, &value) ? value : 0;
}

static bool next_range(struct walk *w, Dwarf_Die *die, ptrdiff_t *at, Dwarf_Addr *base,
		       Dwarf_Addr *low, Dwarf_Addr *high)
{
	if (w->nr_ranges >= RANGES_MAX)
		return false;
	w->nr_ranges++;
	*at = dwarf_ranges(die, *at, base, low, high);
	return *at > 0;
}

static void add_position(Dwarf_Die *die, struct inline_span *span)
{
	int start_line;

	span->function = dwarf_plain_name(die);		/* what compilers know it by */
	if (!dwarf_decl_line(die, &start_line) && start_line > 0)
		span->start_line = start_line;
	span->call_discriminator = number_of(die, DW_AT_GNU_discriminator);
}

static void add_spans(struct walk *w, Dwarf_Die *die, uint32_t depth)
{
	struct inline_span span = { .depth = depth };
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (w->detail == INLINE_POSITIONS)
		add_position(die, &span);
	else
		span.function = dwarf_name(&w->dwarf->names, die);
	if (depth && w->detail != INLINE_NAMES) {
		uint64_t file = w->files ? number_of(die, DW_AT_call_file) : 0;

		span.call_file = w->files && file < w->nr_files
			       ? whole_path(w->dwarf, dwarf_filesrc(w->files, file, NULL, NULL))
			       : NULL;
		span.call_line = number_of(die, DW_AT_call_line);
	}
	while (next_range(w, die, &at, &base, &low, &high)) {
		if (high <= low || w->nr >= SPANS_MAX)
			continue;
		xgrow(w->spans, w->nr, w->room);
		span.low = low;
		span.high = high;
		w->spans[w->nr++] = span;
	}
}

static void walk_function(struct walk *w, Dwarf_Die *parent, uint32_t depth, unsigned int level)
{
	Dwarf_Die die;

	if (level > DEEPEST || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			add_spans(w, &die, depth + 1);
			walk_function(w, &die, depth + 1, level + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			walk_function(w, &die, depth, level + 1);
			break;
		default:
			break;
		}
	} while (dwarf_next_sibling(&die));
}

static bool is_wanted(struct walk *w, Dwarf_Die *function)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (next_range(w, function, &at, &base, &low, &high))
		if (has_address(w, low, high))
			return true;
	return false;
}

/* Only functions that have one of the addresses are entered. */
static void walk_unit(struct walk *w, Dwarf_Die *parent, unsigned int level)
{
	Dwarf_Die die;

	if (level > DEEPEST || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (!is_wanted(w, &die))
				break;
			add_spans(w, &die, 0);
			walk_function(w, &die, 0, 0);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			walk_unit(w, &die, level + 1);
			break;
		default:
			break;
		}
	} while (dwarf_next_sibling(&die));
}

void line_dwarf_inlines(struct line_dwarf *d, uint64_t unit, enum inline_detail detail,
			const uint64_t *addresses, size_t nr_addresses,
			struct inline_span **spans, size_t *nr)
{
	struct walk w = {
		.dwarf = d, .detail = detail, .addresses = addresses,
		.nr_addresses = nr_addresses, .nr = *nr};
	Dwarf_Die die;

	if (detail == INLINE_NAMES)
		make_room(d);
	if (!open_unit(d, unit, &die))
		return;
	w.room = w.nr + 16;
	w.spans = xrealloc_array(*spans, w.room, sizeof(*w.spans));
	if (detail != INLINE_CALLS || dwarf_getsrcfiles(&die, &w.files, &w.nr_files))
		w.files = NULL;
	walk_unit(&w, &die, 0);
	*spans = w.spans;
	*nr = w.nr;
}

/* --- source positions --- */

bool line_dwarf_positions(struct line_dwarf *d, uint64_t unit, const uint64_t *addresses, size_t nr,
			  struct line_position *ret)
{
	Dwarf_Die die;

	if (!open_unit(d, unit, &die))
		return false;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_getsrc_die(&die, addresses[i]);
		unsigned int discriminator = 0;
		int number = 0;

		ret[i] = (struct line_position){ 0, 0 };
		if (!line || dwarf_lineno(line, &number) || number <= 0)
			continue;
		dwarf_linediscriminator(line, &discriminator);
		ret[i] = (struct line_position){ number, discriminator };
	}
	return true;
}
