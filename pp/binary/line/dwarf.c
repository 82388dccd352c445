/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf.c - open debug information with libdw; its units and their line tables
 *
 * libdw keeps what it has decoded for as long as the file is open, many times the size of what we
 * keep of it. So after a while the file is opened anew: units are found again by their offset.
 */
#include "pp/binary/line/dwarf_private.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/xalloc.h"
#include "pp/binary/unpack.h"

#define UNITS_KEPT_OPEN	1000
#define ROWS_KEPT_OPEN	400000		/* about 40 MB of libdw's */

static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)ret;
	return -1;
}

/* Relocatable: libdwfl lays out the sections and applies what the linker would have. */
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
	struct stat st;

	d->fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (d->fd < 0 || fstat(d->fd, &st))
		return op_error_set(e, -errno, "%s", strerror(errno));
	return S_ISREG(st.st_mode) ? 0
				   : op_error_set(e, -ENOEXEC, "it is not a regular file");
}

/* libdw unpacks what it was built to; we everything that binary.h does. */
static int open_packed(struct line_dwarf *d, struct op_error *e)
{
	unsigned char *bytes;
	size_t size;
	int err = file_unpack(d->path, &bytes, &size, e);

	if (err)
		return err;
	d->fd = memory_file(bytes, size);
	free(bytes);
	return d->fd < 0 ? op_error_set(e, -errno, "%s", strerror(errno)) : 0;
}

static int open_elf(struct line_dwarf *d, struct op_error *e)
{
	int err = file_is_packed(d->path) ? open_packed(d, e) : open_file(d, e);

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
	return op_error_set(e, -ENOEXEC, "it is not an object file");
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
		dwfl_end(d->dwfl);	/* the Dwarf and its Elf too */
	else
		dwarf_end(d->dwarf);
	elf_end(d->own_elf);
	if (d->fd >= 0)
		close(d->fd);
	line_paths_forget(d);
	free(d->paths);
	free(d->path);
	free(d);
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

/* Give back what libdw holds, and the pages of the file too. On failure it stays open. */
static void open_anew(struct line_dwarf *d)
{
	Elf *elf = d->dwfl ? NULL : elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (!dwarf) {
		elf_end(elf);
		return;
	}
	dwarf_end(d->dwarf);
	elf_end(d->own_elf);
	d->own_elf = d->elf = elf;
	d->dwarf = dwarf;
	d->rows_open = d->units_open = 0;
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
			.file = ends ? NULL : line_dwarf_path(d, dwarf_linesrc(line, NULL, NULL)),
			.line = number > 0 ? number : 0,
		};
	}
	return kept;
}

/* Code that the linker threw away, described from address 0 on, is far from what is there. */
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

	if (d->rows_open > ROWS_KEPT_OPEN || d->units_open++ > UNITS_KEPT_OPEN)
		open_anew(d);
	if (!line_dwarf_unit(d, unit, &die))
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
