// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images.c - assign addresses to images, as if all were mapped in one process [PF-3]
 *
 * A file is mapped as the kernel does it: a range for each loaded segment, all with one distance
 * between address and linked address. Readers can compute the linked address from start, limit,
 * offset and the file's program headers. Kernel, modules and anonymous memory keep their addresses.
 */
#include "pp/exchange/export/gathered.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/build_id.h"
#include "libutil/xalloc.h"
#include "pp/binary/object_file.h"

#define PAGE		UINT64_C(4096)
#define ALIGNED		(UINT64_C(2) << 20)	/* of images whose address is chosen here */
#define SPAN_MAX	(UINT64_C(1) << 40)	/* of an image; no file is larger */
#define SEGMENTS_MAX	64
#define MAPPINGS_MAX	4096	/* of one imported image; the search is linear */
#define LOW_END		(UINT64_C(1) << 32)	/* programs at a fixed address are below */

static uint64_t page_down(uint64_t x)
{
	return x & ~(PAGE - 1);
}

static uint64_t page_up(uint64_t x)
{
	return x > UINT64_MAX - PAGE ? UINT64_MAX & ~(PAGE - 1) : page_down(x + PAGE - 1);
}

static struct export_range *add_range(struct export_image *i, uint64_t low, uint64_t high,
				      uint64_t address, uint64_t offset)
{
	i->ranges = xrealloc_array(i->ranges, i->nr_ranges + 1, sizeof(*i->ranges));
	i->ranges[i->nr_ranges] = (struct export_range){ low, high, address, offset,
							 PROFILE_NONE, NULL };
	return &i->ranges[i->nr_ranges++];
}

static uint64_t reserve(uint64_t *next_address, uint64_t size)
{
	uint64_t base = *next_address;

	*next_address = (base + size + 2 * ALIGNED - 1) & ~(ALIGNED - 1);
	return base;
}

/* --- files --- */

struct segment {
	uint64_t offset, address, size;
};

static bool read_segment(const struct object_file *f, const unsigned char *h, struct segment *ret)
{
	uint64_t file_size;

	if (object_get32(f, h) != PT_LOAD)
		return false;
	if (f->is_64) {
		ret->offset = object_get64(f, h + offsetof(Elf64_Phdr, p_offset));
		ret->address = object_get64(f, h + offsetof(Elf64_Phdr, p_vaddr));
		file_size = object_get64(f, h + offsetof(Elf64_Phdr, p_filesz));
	} else {
		ret->offset = object_get32(f, h + offsetof(Elf32_Phdr, p_offset));
		ret->address = object_get32(f, h + offsetof(Elf32_Phdr, p_vaddr));
		file_size = object_get32(f, h + offsetof(Elf32_Phdr, p_filesz));
	}
	ret->size = file_size;
	return file_size && ret->offset + file_size > ret->offset &&
	       ret->address + file_size > ret->address;
}

static size_t read_segments(const struct object_file *f, struct segment *ret)
{
	unsigned char header[sizeof(Elf64_Ehdr)], entry[sizeof(Elf64_Phdr)];
	size_t entry_size = f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), nr = 0;
	uint64_t table;
	uint16_t count;

	if (object_file_read(f, 0, header, f->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return 0;
	table = f->is_64 ? object_get64(f, header + offsetof(Elf64_Ehdr, e_phoff))
			 : object_get32(f, header + offsetof(Elf32_Ehdr, e_phoff));
	count = object_get16(f, header + (f->is_64 ? offsetof(Elf64_Ehdr, e_phnum)
						   : offsetof(Elf32_Ehdr, e_phnum)));
	for (uint16_t i = 0; i < count && nr < SEGMENTS_MAX; i++) {
		if (table > UINT64_MAX / 2 ||
		    object_file_read(f, table + (uint64_t)i * entry_size, entry, entry_size))
			break;
		nr += read_segment(f, entry, &ret[nr]);
	}
	return nr;
}

/* A program at a fixed address stays there, unless another image uses the range. */
static uint64_t base_of(const struct export *x, const struct object_file *f, uint64_t low,
			uint64_t high, uint64_t *next_address)
{
	bool is_free = f->type == ET_EXEC;

	for (uint32_t i = 0; i < x->profile->nr_images && is_free; i++) {
		const struct profile_image *other = &x->profile->images[i];

		is_free = other->limit <= low || other->start >= high;
	}
	if (is_free && (high <= LOW_END || low > INT64_MAX))
		return 0;
	return reserve(next_address, high - low) - low;
}

static void map_segments(struct export *x, struct export_image *i, const struct object_file *f,
			 uint64_t *next_address)
{
	struct segment segments[SEGMENTS_MAX];
	size_t nr = read_segments(f, segments);
	uint64_t low = UINT64_MAX, high = 0, base;

	for (size_t s = 0; s < nr; s++) {
		uint64_t end = page_up(segments[s].address + segments[s].size);

		low = page_down(segments[s].address) < low ? page_down(segments[s].address) : low;
		high = end > high ? end : high;
	}
	if (!nr || high - low > SPAN_MAX)
		return;
	base = base_of(x, f, low, high, next_address);
	for (size_t s = 0; s < nr; s++) {
		uint64_t slack = segments[s].address & (PAGE - 1);
		uint64_t start = segments[s].offset > slack ? segments[s].offset - slack : 0;

		add_range(i, start, segments[s].offset + segments[s].size,
			  base + segments[s].address - (segments[s].offset - start), start);
	}
}

static void map_file(struct export *x, struct export_image *i, uint64_t *next_address)
{
	struct object_file f;

	if (!i->image->found || object_file_open(i->image->found, &f, NULL))
		return;
	map_segments(x, i, &f, next_address);
	object_file_close(&f);
}

/* --- imported images: where they were in the original profile [IM-7] --- */

static void map_imported(struct export_image *i, const struct imported *imported)
{
	for (size_t n = 0; n < imported->nr_images && i->nr_ranges < MAPPINGS_MAX; n++) {
		const struct imported_image *was = &imported->images[n];
		bool is_placed = was->limit > was->start &&
				 was->offset + (was->limit - was->start) >= was->offset;

		if (strcmp(was->path, i->image->path))
			continue;
		if (is_placed)
			add_range(i, was->offset, was->offset + (was->limit - was->start),
				  was->start, was->offset)->from = was;
		else
			add_range(i, 0, UINT64_MAX, 0, 0)->from = was;
	}
}

/* --- the others --- */

static void map_kernel(struct export_image *i)
{
	const struct report_session *s = i->session;
	const struct kernel_part *part;
	bool is_module = !kernel_image_is_absolute(i->image->path);

	if (i->image->path[0] == '[')
		return;		/* generated code lies anywhere outside the kernel's text */
	part = s && s->has_kernel_symbols
	       ? kernel_symbols_part(&s->kernel, is_module ? i->image->path : "") : NULL;
	if (!part || part->end <= part->start)
		return;
	if (is_module)
		add_range(i, 0, part->end - part->start, part->start, 0);
	else
		add_range(i, part->start, part->end, part->start, part->start);
}

/* Whether the image's places are addresses: those of the kernel and of JIT code are. */
static bool is_absolute(const struct export_image *i)
{
	return i->image->kind == IMAGE_JIT ||
	       (i->image->kind == IMAGE_KERNEL && kernel_image_is_absolute(i->image->path));
}

/* The one of the first @nr ranges that contains @place, tried first at @guess; else @nr. */
static size_t range_of(const struct export_image *i, size_t nr, uint64_t place, size_t guess)
{
	if (guess < nr && place >= i->ranges[guess].low && place < i->ranges[guess].high)
		return guess;
	for (size_t r = 0; r < nr; r++)
		if (place >= i->ranges[r].low && place < i->ranges[r].high)
			return r;
	return nr;
}

/* Add a range for the remaining places, from the page of the first to that of the last. */
static void map_rest(struct export *x, struct export_image *i, uint64_t *next_address)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t in = 0;

	for (size_t n = 0; n < i->nr_places; n++) {
		uint64_t place = x->gathered->places[i->places[n]].address;

		in = range_of(i, i->nr_ranges, place, in);
		if (in < i->nr_ranges)
			continue;
		low = page_down(place) < low ? page_down(place) : low;
		high = page_up(place + (place != UINT64_MAX));
	}
	if (high <= low)
		low = high = 0;
	if (is_absolute(i) || high - low > SPAN_MAX)
		add_range(i, low, high, low, i->image->kind == IMAGE_JIT ? 0 : low);
	else
		add_range(i, low, high, reserve(next_address, high - low), low);
}

void export_ranges(struct export *x, struct export_image *i, uint64_t *next_address)
{
	const struct report_image *image = i->image;

	if (image->kind == IMAGE_FILE)
		map_imported(i, export_imported(x, image->session));
	if (image->kind == IMAGE_KERNEL)
		map_kernel(i);
	else if (image->kind == IMAGE_ANON && !image->found && image->anon_end > image->anon_start)
		add_range(i, 0, image->anon_end - image->anon_start, image->anon_start, 0);
	else if (image->kind != IMAGE_JIT && i->binary.is_file && !i->nr_ranges)
		map_file(x, i, next_address);
	map_rest(x, i, next_address);
}

/* --- the profile's images --- */

char *export_image_path(const struct report_image *image)
{
	switch (image->kind) {
	case IMAGE_KERNEL:
		if (!strcmp(image->path, "kallsyms") || !strcmp(image->path, "no-vmlinux"))
			return xstrdup("[kernel.kallsyms]");
		if (image->path[0] == '[')
			return xstrdup(image->path);
		return xasprintf("[%s]", image->path);
	case IMAGE_JIT:
		return xstrdup(image_shown_name(image, false));
	case IMAGE_FILE:
	case IMAGE_ANON:
		break;
	}
	return xstrdup(image->path);
}

static enum profile_image_kind kind_of(const struct report_image *image)
{
	switch (image->kind) {
	case IMAGE_KERNEL:
		return !strcmp(image->path, "kallsyms") || !strcmp(image->path, "no-vmlinux")
		       ? PROFILE_KERNEL : PROFILE_KERNEL_MODULE;
	case IMAGE_ANON:
		return PROFILE_ANON;
	case IMAGE_JIT:
		return PROFILE_JIT;
	case IMAGE_FILE:
		break;
	}
	return image->is_kernel ? PROFILE_KERNEL : PROFILE_FILE;
}

static void read_build_id(const struct export_image *i, char text[BUILD_ID_TEXT])
{
	const char *known = i->image->build_id;
	struct build_id id;

	text[0] = '\0';
	if (i->image->kind == IMAGE_KERNEL && kind_of(i->image) == PROFILE_KERNEL && i->session)
		known = i->session->info.kernel_build_id;
	if (known && *known && strcmp(known, "-") && strlen(known) < BUILD_ID_TEXT)
		strcpy(text, known);
	else if (i->image->found && i->binary.is_file && !build_id_read(i->image->found, &id))
		build_id_text(&id, text);
}

static uint32_t make_imported(struct export *x, const struct imported_image *was)
{
	if (was->kind >= IMPORTED_NOWHERE)
		return PROFILE_NONE;
	return profile_add_image(x->profile, &(struct profile_image){
		.path = profile_string(x->profile, was->original),
		.build_id = profile_string(x->profile, was->build_id),
		.start = was->start, .limit = was->limit, .offset = was->offset,
		.kind = was->kind <= PROFILE_JIT ? was->kind : PROFILE_FILE });
}

static uint32_t make_image(struct export *x, const struct export_image *i,
			   const struct export_range *r)
{
	char build[BUILD_ID_TEXT], *path = export_image_path(i->image);
	struct profile_image made = {
		.path = profile_string(x->profile, path),
		.start = page_down(r->address),
		.limit = page_up(r->address + (r->high - r->low)),
		.kind = kind_of(i->image),
	};

	made.offset = r->offset - (r->address - made.start);
	if (made.offset > r->offset)
		made.start = r->address, made.offset = r->offset;
	read_build_id(i, build);
	made.build_id = profile_string(x->profile, build);
	free(path);
	return profile_add_image(x->profile, &made);
}

uint32_t export_address(struct export *x, struct export_image *i, uint64_t place, size_t *range,
			uint64_t *ret_address)
{
	struct export_range *r;

	*range = range_of(i, i->nr_ranges - 1, place, *range);
	r = &i->ranges[*range];
	if (r->image == PROFILE_NONE)
		r->image = r->from ? make_imported(x, r->from) : make_image(x, i, r);
	*ret_address = r->from && r->from->kind == IMPORTED_NAMES
		       ? 0 : r->address + (place - r->low);
	return r->image;
}
