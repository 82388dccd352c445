/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary.c - map places in an image to addresses, and these to lines */
#include "pp/binary/line/binary.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/build_id.h"
#include "libutil/xalloc.h"
#include "pp/binary/debug_file.h"
#include "pp/binary/disassemble/bfd.h"
#include "pp/binary/line/table.h"
#include "pp/binary/private.h"

#define NO_ADDRESS	UINT64_MAX
#define FRAMES		64

struct line_binary {
	const struct binary *binary;
	struct line_options options;
	const char *path;		/* of the file with debug information */
	const struct object_file *file;	/* its sections */
	struct object_file own_file;	/* a debug file found here */
	char *own_path;
	struct line_tables *tables;	/* NULL in compat: the original cannot read it */
	uint64_t *bases;		/* per section of @binary: its address, or NO_ADDRESS */
	struct bfd_file symbol_file;	/* for find_in_symbol_table(), opened when needed */
	bool has_symbol_file, no_symbol_file;
};

/* Symbols that the history kept have all section headers, but no such bytes [HI-28]. */
static const struct object_section *debug_section(const struct object_file *f)
{
	const struct object_section *s = object_section_find(f, ".debug_info");

	if (!s)
		s = object_section_find(f, ".zdebug_info");
	return s && s->type != SHT_NOBITS ? s : NULL;
}

/* The image's descriptor is closed. binary.c looks for a debug file only if it has no symbols. */
static void search_debug_file(struct line_binary *l, const char *path, char **looked)
{
	struct object_file again, *image = &l->binary->files->image;

	*looked = NULL;
	if (!image->bytes) {
		if (object_file_open(path, &again, NULL))
			return;
		image = &again;
	}
	if (!debug_file_open(image, path, l->options.root, &l->own_file, &l->own_path, looked)) {
		object_file_release(&l->own_file);
		l->path = l->own_path;
		l->file = &l->own_file;
	}
	if (image == &again)
		object_file_close(&again);
}

/* The first place is where packages install debug files; the others are near the binary. */
static void report_places(const char *path, const char *looked, struct op_error *e)
{
	op_error_set(e, -ENODATA, "'%s' has no debug information, and its debug file was not found "
		     "at '%.*s'%s", path, (int)strcspn(looked, ","), looked,
		     strchr(looked, ',') ? " or beside the binary" : "");
}

static int find_debug(struct line_binary *l, const char *path, struct op_error *e)
{
	const struct binary *b = l->binary;
	char *looked = NULL;

	if (debug_section(&b->files->image)) {
		l->path = path;
		l->file = &b->files->image;
	} else if (b->debug_path) {
		l->path = b->debug_path;
		l->file = &b->files->debug;
	} else if (!b->looked_in) {
		search_debug_file(l, path, &looked);
	}
	if (l->file && debug_section(l->file)) {
		free(looked);
		return 0;
	}
	if (l->file)
		op_error_set(e, -ENODATA, "neither '%s' nor its debug file '%s' has debug "
			     "information", path, l->path);
	else if (looked || b->looked_in)
		report_places(path, looked ? looked : b->looked_in, e);
	else
		op_error_set(e, -ENODATA, "'%s' has no debug information; compile with -g", path);
	free(looked);
	return -ENODATA;
}

static uint64_t section_address(struct line_binary *l, const char *name)
{
	const struct object_section *s = object_section_find(l->file, name);
	uint64_t address;

	if (!s || !l->tables)
		return NO_ADDRESS;
	if (l->file->type != ET_REL)
		return s->addr;
	return line_tables_section(l->tables, name, &address) ? address : NO_ADDRESS;
}

static int open_tables(struct line_binary *l, const char *path, struct op_error *e)
{
	const struct object_file *image = &l->binary->files->image;
	char text[BUILD_ID_TEXT] = "";
	struct op_error why = { "" };
	struct build_id id;
	int err;

	/* the original does not ask libbfd to decompress */
	if (l->options.compat && debug_section(l->file)->flags & SHF_COMPRESSED)
		return 0;
	if (image->bytes ? !object_file_build_id(image, &id) : !build_id_read(path, &id))
		build_id_text(&id, text);
	err = line_tables_open(l->path, text, l->options.cache_dir, &l->tables, &why);
	if (err)
		op_error_set(e, err, "cannot read the debug information in '%s'%s%s", l->path,
			     *why.text ? ": " : "", why.text);
	return err;
}

int line_binary_open(const struct binary *b, const char *path, const struct line_options *options,
		     struct line_binary **ret, struct op_error *e)
{
	struct line_binary *l;
	int err;

	if (!b->files)
		return op_error_set(e, -ENODATA, "'%s' has no debug information", path);
	l = xcalloc(1, sizeof(*l));
	l->binary = b;
	l->options = *options;
	l->own_file.fd = -1;
	err = find_debug(l, path, e);
	if (!err)
		err = open_tables(l, path, e);
	if (err) {
		line_binary_close(l);
		return err;
	}
	l->bases = xcalloc(b->nr_sections + 1, sizeof(*l->bases));
	for (size_t i = 0; i < b->nr_sections; i++)
		l->bases[i] = section_address(l, b->sections[i].name);
	*ret = l;
	return 0;
}

void line_binary_close(struct line_binary *l)
{
	if (!l)
		return;
	line_tables_close(l->tables);
	if (l->has_symbol_file)
		bfd_file_close(&l->symbol_file);
	object_file_close(&l->own_file);
	free(l->own_path);
	free(l->bases);
	free(l);
}

char *line_binary_complaint(const struct line_binary *l)
{
	if (!l->tables || !line_tables_are_damaged(l->tables))
		return NULL;
	return xasprintf("the debug information in '%s' is damaged; some source lines are missing",
			 l->path);
}

/* The line of the outermost call, in the function that is not inlined. */
static void credit_call(struct line_binary *l, uint64_t address, struct line_place *place)
{
	struct inline_span frames[FRAMES];
	size_t nr = line_tables_frames(l->tables, address, frames, FRAMES);
	const struct inline_span *outermost;

	if (nr < 2 || nr > FRAMES)
		return;
	outermost = &frames[nr - 2];
	if (outermost->call_file && outermost->call_line)
		*place = (struct line_place){ outermost->call_file, outermost->call_line };
}

static bool open_symbol_file(struct line_binary *l)
{
	if (!l->has_symbol_file && !l->no_symbol_file) {
		l->has_symbol_file = !bfd_file_open(l->path, NULL, 0, &l->symbol_file, NULL);
		l->no_symbol_file = !l->has_symbol_file;
	}
	return l->has_symbol_file;
}

/* The original's answer if there is no line: the file of a local symbol, and line 0. */
static void find_in_symbol_table(struct line_binary *l, uint64_t place, struct line_place *ret)
{
	const struct code_section *s = binary_section(l->binary, place);
	const char *file = NULL, *function;
	unsigned int line = 0;
	asection *section;

	if (!s || !open_symbol_file(l) || !l->symbol_file.symbols)
		return;
	section = bfd_get_section_by_name(l->symbol_file.bfd, s->name);
	if (section && bfd_find_nearest_line(l->symbol_file.bfd, section, l->symbol_file.symbols,
					     place - s->start, &file, &function, &line) &&
	    file && *file)
		*ret = (struct line_place){ file, line };
}

/* Look up places in one section: their addresses are in the same order. */
static void find_in_section(struct line_binary *l, size_t section, const uint64_t *places,
			    size_t nr, struct line_place *ret)
{
	uint64_t *addresses, start = l->binary->sections[section].start;

	for (size_t i = 0; ret && i < nr; i++)
		ret[i] = (struct line_place){ NULL, 0 };
	if (l->tables && l->bases[section] != NO_ADDRESS) {
		addresses = xcalloc(nr, sizeof(*addresses));
		for (size_t i = 0; i < nr; i++)
			addresses[i] = l->bases[section] + (places[i] - start);
		line_tables_find(l->tables, addresses, nr,
				 l->options.inlines || l->options.frames, ret);
		for (size_t i = 0; l->options.inlines && ret && i < nr; i++)
			credit_call(l, addresses[i], &ret[i]);
		free(addresses);
	}
	for (size_t i = 0; l->options.compat && ret && i < nr; i++)
		if (!ret[i].file)
			find_in_symbol_table(l, places[i], &ret[i]);
}

void line_binary_find(struct line_binary *l, const uint64_t *places, size_t nr,
		      struct line_place *ret)
{
	for (size_t i = 0; i < nr; ) {
		const struct code_section *s = binary_section(l->binary, places[i]);
		size_t first = i;

		if (!s) {
			if (ret)
				ret[i] = (struct line_place){ NULL, 0 };
			i++;
			continue;
		}
		while (i < nr && places[i] >= s->start && places[i] < s->end)
			i++;
		find_in_section(l, s - l->binary->sections, places + first, i - first,
				ret ? ret + first : NULL);
	}
}

size_t line_binary_frames(struct line_binary *l, uint64_t place, struct inline_span *frames,
			  size_t room)
{
	const struct code_section *s = binary_section(l->binary, place);
	uint64_t base = s ? l->bases[s - l->binary->sections] : NO_ADDRESS;
	size_t nr;

	if (!l->tables || base == NO_ADDRESS)
		return 0;
	nr = line_tables_frames(l->tables, base + (place - s->start), frames, room);
	for (size_t i = 0; i < nr && i < room; i++) {
		frames[i].low = frames[i].low - base + s->start;
		frames[i].high = frames[i].high - base + s->start;
	}
	return nr;
}
