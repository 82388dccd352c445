// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images.c - the images of a profile: one for each mapped segment of a module
 *
 * Sample files have offsets in files, and only the program headers have the offset of a segment.
 * They are read when a module is first seen, from the file because the module may be unloaded by
 * then. Code outside of modules is looked up among the mappings. [SM-61]
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libsampler/build/made.h"
#include "libsampler/build/profile.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define SEGMENTS_MAX	64		/* of a module */
#define MAPS_LIMIT	(64u << 20)	/* bytes */
#define READ_AGAIN	1000		/* failed lookups until /proc/self/maps is read again */
#define PAGE		4096u

struct segment {
	uint64_t start, limit;		/* addresses */
	uint32_t image;
};

struct known {
	const struct sampler_module *module;
	uint32_t first, nr;			/* segments; the last has the rest of the module */
	uint32_t function;			/* of code without a file; or PROFILE_NONE */
};

struct build_images {
	struct profile *p;
	char program[PATH_MAX];
	struct known *known;
	size_t nr_known, room_known;
	struct hash_table by_module;	/* of @known */
	struct segment *segments;
	size_t nr, room;
	struct segment *mappings;	/* with code outside of modules */
	size_t nr_mappings, room_mappings;
	unsigned int lookups_left;	/* until the mappings are read again */
};

struct build_images *build_images_new(struct profile *p)
{
	struct build_images *i = xcalloc(1, sizeof(*i));
	ssize_t n = readlink("/proc/self/exe", i->program, sizeof(i->program) - 1);

	i->program[n < 0 ? 0 : n] = '\0';
	i->p = p;
	return i;
}

void build_images_free(struct build_images *i)
{
	if (!i)
		return;
	free(i->known);
	hash_table_free(&i->by_module);
	free(i->segments);
	free(i->mappings);
	free(i);
}

/* A file that is loaded again at the same address is the same image. */
static uint32_t get_image(struct build_images *i, const struct profile_image *image)
{
	struct profile *p = i->p;
	uint32_t at;

	for (at = p->nr_images; at-- > 0;) {
		const struct profile_image *other = &p->images[at];

		if (other->start == image->start && other->limit == image->limit &&
		    other->path == image->path && other->build_id == image->build_id &&
		    other->offset == image->offset)
			return at;
	}
	at = profile_add_image(p, image);
	if (!strcmp(profile_text(p, image->path), i->program))
		p->main_image = at;
	return at;
}

static void add_segment(struct build_images *i, const struct profile_image *image)
{
	xgrow(i->segments, i->nr, i->room);
	i->segments[i->nr++] = (struct segment){ image->start, image->limit,
						 get_image(i, image) };
}

/* Whether the file is still the one that was loaded. */
static bool is_build(int fd, const char *wanted)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (!*wanted)
		return true;
	return !build_id_read_fd(fd, &id) && !strcmp(build_id_text(&id, text), wanted);
}

static void add_headers(struct build_images *i, Elf *elf, const struct sampler_module *m,
			struct profile_image image)
{
	size_t nr;
	GElf_Phdr h;

	if (elf_getphdrnum(elf, &nr))
		return;
	for (size_t n = 0; n < nr && n < SEGMENTS_MAX; n++) {
		if (!gelf_getphdr(elf, (int)n, &h) || h.p_type != PT_LOAD || !(h.p_flags & PF_X))
			continue;
		image.start = (m->base + h.p_vaddr) & ~(uint64_t)(PAGE - 1);
		image.limit = (m->base + h.p_vaddr + h.p_memsz + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		image.offset = h.p_offset & ~(uint64_t)(PAGE - 1);
		add_segment(i, &image);
	}
}

static void add_file(struct build_images *i, const struct sampler_module *m,
		     const struct profile_image *image)
{
	int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = NULL;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	if (is_build(fd, m->build_id))
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		add_headers(i, elf, m, *image);
	elf_end(elf);
	close(fd);
}

/* Without program headers an offset in the file is taken to be the linked address. */
static void add_module(struct build_images *i, struct known *k, const struct sampler_module *m)
{
	struct profile *p = i->p;
	struct profile_image image = {
		.path = profile_string(p, m->path),
		.build_id = profile_string(p, m->build_id),
		.start = m->start, .limit = m->limit, .offset = m->start - m->base,
		.kind = !m->is_native ? PROFILE_JIT : *m->path == '/' ? PROFILE_FILE : PROFILE_ANON,
	};

	*k = (struct known){ .module = m, .first = (uint32_t)i->nr, .function = PROFILE_NONE };
	if (image.kind == PROFILE_FILE)
		add_file(i, m, &image);
	else
		image.offset = 0;
	if (image.kind == PROFILE_JIT)
		k->function = profile_function(p, &(struct profile_function){
			.name = image.path, .system_name = image.path });
	if (i->nr == k->first || m->limit > m->start)
		add_segment(i, &image);
	k->nr = (uint32_t)i->nr - k->first;
}

static bool is_of_module(const void *images, uint32_t id, const void *module)
{
	return ((const struct build_images *)images)->known[id].module == module;
}

static const struct known *find_module(struct build_images *i, const struct sampler_module *m)
{
	uint64_t hash = hash_u64((uintptr_t)m);
	uint32_t id = hash_table_find(&i->by_module, hash, is_of_module, i, m);

	if (id == HASH_NONE) {
		id = (uint32_t)i->nr_known++;
		xgrow(i->known, id, i->room_known);
		add_module(i, &i->known[id], m);
		hash_table_add(&i->by_module, hash, id);
	}
	return &i->known[id];
}

static uint32_t image_of_module(const struct build_images *i, const struct known *k,
				uint64_t address)
{
	const struct segment *s = &i->segments[k->first];

	for (uint32_t n = 0; n + 1 < k->nr; n++, s++)
		if (address >= s->start && address < s->limit)
			break;
	return s->image;
}

/* "start-end perms offset dev inode      name" */
static bool parse_mapping(const char *line, uint64_t address, struct profile_image *ret,
			  const char **ret_name)
{
	int name_at = 0;

	*ret = (struct profile_image){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &ret->start,
		   &ret->limit, &ret->offset, &name_at) < 3 || !name_at)
		return false;
	*ret_name = line + name_at;
	return address >= ret->start && address < ret->limit;
}

static uint32_t add_mapping(struct build_images *i, struct profile_image *image, const char *name)
{
	image->path = profile_string(i->p, name);
	image->kind = *name == '/' ? PROFILE_FILE : PROFILE_ANON;
	if (image->kind == PROFILE_ANON)
		image->offset = 0;
	xgrow(i->mappings, i->nr_mappings, i->room_mappings);
	i->mappings[i->nr_mappings++] = (struct segment){ image->start, image->limit,
							  get_image(i, image) };
	return i->mappings[i->nr_mappings - 1].image;
}

static uint32_t read_mappings(struct build_images *i, uint64_t address)
{
	uint32_t found = PROFILE_NONE;
	char *text, *rest;

	if (file_read_all("/proc/self/maps", MAPS_LIMIT, &text, NULL))
		return found;
	build_made_look_for_dump(text);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct profile_image image;
		const char *name;

		if (!parse_mapping(line, address, &image, &name))
			continue;
		found = add_mapping(i, &image, name);
		break;
	}
	free(text);
	return found;
}

/* Newer mappings come last, and hide older ones. */
static uint32_t image_of_mapping(struct build_images *i, uint64_t address)
{
	uint32_t found;

	for (size_t n = i->nr_mappings; n-- > 0;)
		if (address >= i->mappings[n].start && address < i->mappings[n].limit)
			return i->mappings[n].image;
	if (i->lookups_left) {
		i->lookups_left--;
		return PROFILE_NONE;
	}
	found = read_mappings(i, address);
	if (found == PROFILE_NONE)
		i->lookups_left = READ_AGAIN;
	return found;
}

uint32_t build_images_place(struct build_images *i, const struct sampler_frame *frame,
			    unsigned int back)
{
	uint64_t address = frame->address ? frame->address - back : 0;
	struct profile_line line = { PROFILE_NONE, 0 };
	uint32_t image;

	if (frame->module) {
		const struct known *k = find_module(i, frame->module);

		image = image_of_module(i, k, address);
		line.function = k->function;
	} else {
		image = image_of_mapping(i, address);
	}
	return profile_place(i->p, image, address, &line, line.function != PROFILE_NONE);
}
