/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - map a binary file of profile feedback and check it
 *
 * Checksums detect accidental damage only. The file may be hostile, so every number, index and
 * string is checked before the profile is used. A file of the other byte order is swapped within
 * the private mapping.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "feedback/xprof/crc32c.h"
#include "feedback/xprof/file.h"
#include "feedback/xprof/lines.h"
#include "libutil/xalloc.h"

struct decoder {
	const char *path;
	char *base;
	size_t size;
	struct xprof_file_header header;	/* in this machine's order */
	bool swapped;
	struct xprof *x;
	struct op_error *e;
};

static int fail(struct decoder *d, size_t offset, const char *what)
{
	return op_error_set(d->e, -EPROTO, "%s: offset %zu: %s", d->path, offset, what);
}

static uint32_t order32(const struct decoder *d, uint32_t n)
{
	return d->swapped ? __builtin_bswap32(n) : n;
}

static uint64_t order64(const struct decoder *d, uint64_t n)
{
	return d->swapped ? __builtin_bswap64(n) : n;
}

/* The header in this machine's byte order [XP-25]. */
static int read_order(struct decoder *d)
{
	struct xprof_file_header *h = &d->header;

	if (d->size < sizeof(*h))
		return fail(d, d->size, "truncated header");
	memcpy(h, d->base, sizeof(*h));
	if (memcmp(h->magic, XPROF_FILE_MAGIC, sizeof(h->magic)))
		return fail(d, 0, "not a profile feedback file");
	d->swapped = h->byte_order == __builtin_bswap32(XPROF_FILE_ORDER);
	if (!d->swapped && h->byte_order != XPROF_FILE_ORDER)
		return fail(d, 8, "unknown byte order");
	if (d->swapped) {
		h->major = __builtin_bswap16(h->major);
		h->minor = __builtin_bswap16(h->minor);
	}
	h->header_size = order32(d, h->header_size);
	h->nr_sections = order32(d, h->nr_sections);
	h->total_size = order64(d, h->total_size);
	h->type = order32(d, h->type);
	h->crc = order32(d, h->crc);
	return 0;
}

static int read_header(struct decoder *d)
{
	struct xprof_file_header *h = &d->header;
	const uint32_t zero = 0;
	size_t crc_at = offsetof(struct xprof_file_header, crc);
	uint32_t crc;
	int err = read_order(d);

	if (err)
		return err;
	if (h->total_size > d->size)
		return fail(d, d->size, "truncated file");
	if (h->total_size < d->size)
		return fail(d, h->total_size, "trailing garbage");
	if (h->major != XPROF_FILE_MAJOR)
		return op_error_set(d->e, -EPROTO, "%s: offset 12: unsupported version %u.%u: "
				    "expected %u.x", d->path, h->major, h->minor, XPROF_FILE_MAJOR);
	if (h->header_size > d->size || h->header_size < sizeof(*h) || h->nr_sections > 1000 ||
	    h->header_size != sizeof(*h) + h->nr_sections * sizeof(struct xprof_file_section))
		return fail(d, 16, "invalid header size");
	crc = crc32c(0, d->base, crc_at);
	crc = crc32c(crc, &zero, sizeof(zero));
	crc = crc32c(crc, d->base + crc_at + 4, h->header_size - crc_at - 4);
	if (crc != h->crc)	/* [XP-26] */
		return fail(d, crc_at, "header checksum mismatch");
	if (h->type >= NR_XPROF_TYPES)
		return fail(d, 32, "unknown profile type");
	d->x->type = h->type;
	return 0;
}

static void swap_numbers(char *at, uint32_t nr, int wide, int narrow)
{
	for (uint32_t i = 0; i < nr; i++) {
		for (int k = 0; k < wide; k++, at += 8)
			*(uint64_t *)(void *)at = __builtin_bswap64(*(uint64_t *)(void *)at);
		for (int k = 0; k < narrow; k++, at += 4)
			*(uint32_t *)(void *)at = __builtin_bswap32(*(uint32_t *)(void *)at);
	}
}

/* The arrays of struct xprof. */
struct slot {
	size_t items, nr, element_size;
	int wide, narrow;
};
static const struct slot slots[NR_XPROF_ARRAYS] = {
#define SLOT(name, element, wide, narrow)                                                      \
	{ offsetof(struct xprof, name), offsetof(struct xprof, nr_##name), sizeof(element),    \
	  wide, narrow },
	XPROF_ARRAYS(SLOT)
};

/* @at: offset of the section's entry in the table [XP-27]. */
static int take_section(struct decoder *d, const struct xprof_file_section *s, size_t at)
{
	const struct slot *slot;
	char **items;
	uint32_t *nr;

	if (!s->id || s->id > NR_XPROF_ARRAYS)
		return 0;	/* from a later minor version */
	slot = &slots[s->id - 1];
	items = (char **)((char *)d->x + slot->items);
	nr = (uint32_t *)(void *)((char *)d->x + slot->nr);
	if (*items)
		return fail(d, at, "duplicate section");
	if (s->element_size != slot->element_size || s->size % slot->element_size ||
	    s->size / slot->element_size >= UINT32_MAX)
		return fail(d, at, "invalid size of a section or its elements");
	*items = d->base + s->offset;
	*nr = s->size / slot->element_size;
	if (d->swapped)
		swap_numbers(*items, *nr, slot->wide, slot->narrow);
	return 0;
}

/* Sections follow one another without a gap, so a checksum covers every byte [XP-27]. */
static int read_sections(struct decoder *d)
{
	uint64_t expected = d->header.header_size;
	int err = 0;

	for (uint32_t i = 0; i < d->header.nr_sections && !err; i++) {
		size_t at = sizeof(d->header) + i * sizeof(struct xprof_file_section);
		struct xprof_file_section s;
		uint64_t room;

		memcpy(&s, d->base + at, sizeof(s));
		s.id = order32(d, s.id);
		s.element_size = order32(d, s.element_size);
		s.offset = order64(d, s.offset);
		s.size = order64(d, s.size);
		if (s.offset != expected || s.size > d->size - expected ||
		    d->size - expected - s.size < (-s.size & 7))
			return fail(d, at, "section does not start at the end of the previous one");
		room = s.size + (-s.size & 7);
		if (crc32c(0, d->base + s.offset, room) != order32(d, s.crc))
			return fail(d, s.offset, "section checksum mismatch");	/* [XP-26] */
		expected += room;
		err = take_section(d, &s, at);
	}
	if (!err && expected != d->size)
		return fail(d, expected, "trailing garbage after the last section");
	return err;
}

/* --- arrays: strings, indices and owners of elements [XP-28] --- */

struct walk {
	struct decoder *decoder;
	const struct xprof *x;
	uint64_t next[NR_XPROF_ARRAYS];		/* the first element without an owner so far */
	const uint32_t sizes[NR_XPROF_ARRAYS];
};

static int fail_at(const struct walk *w, enum xprof_array array, uint32_t at, const char *what)
{
	return fail(w->decoder, xprof_file_offset(w->x, array, at), what);
}

static int check_strings(const struct walk *w)
{
	const struct xprof *x = w->x;
	uint32_t at = 1;

	if (!x->nr_strings)
		return fail(w->decoder, sizeof(w->decoder->header), "missing section of strings");
	if (x->strings[0] || x->strings[x->nr_strings - 1])
		return fail_at(w, XPROF_ARRAY_strings, 0, "first or last string without a 0 byte");
	while (at < x->nr_strings) {
		size_t len = strlen(x->strings + at);
		const char *fault = xprof_name_fault(x->strings + at, len);

		if (fault)
			return fail_at(w, XPROF_ARRAY_strings, at, fault);
		at += len + 1;
	}
	return 0;
}

static bool is_string(const struct xprof *x, uint32_t s)
{
	return !s || (s < x->nr_strings && !x->strings[s - 1]);
}

/* The @nr elements of @array from @first on must follow those of the previous owner. */
static bool take_elements(struct walk *w, enum xprof_array array, uint32_t first, uint64_t nr)
{
	bool is_next = first == w->next[array] && nr <= w->sizes[array] - w->next[array];

	w->next[array] += is_next ? nr : 0;
	return is_next;
}

static bool take_lists(struct walk *w, const struct xprof_object *o, const struct xprof_proc *p)
{
	return take_elements(w, XPROF_ARRAY_counters, p->first_counter,
			     p->is_declared ? 0 : p->nr_counters) &&
	       take_elements(w, XPROF_ARRAY_values, p->first_value, xprof_nr_values(o, p)) &&
	       take_elements(w, XPROF_ARRAY_blocks, p->first_block, p->nr_blocks) &&
	       take_elements(w, XPROF_ARRAY_edges, p->first_edge, p->nr_edges) &&
	       take_elements(w, XPROF_ARRAY_tuples, p->first_tuple, p->nr_tuples);
}

static int check_objects(struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_objects; i++) {
		const struct xprof_object *o = &x->objects[i];

		if (!is_string(x, o->path) || o->has & ~3u ||
		    !take_elements(w, XPROF_ARRAY_procs, o->first_proc, o->nr_procs))
			return fail_at(w, XPROF_ARRAY_objects, i,
				       "invalid path or procedures of an object file");
		for (uint32_t k = o->first_proc; k < o->first_proc + o->nr_procs; k++) {
			const struct xprof_proc *p = &x->procs[k];

			if (!is_string(x, p->name) || p->has & ~3u || p->is_declared > 1 ||
			    (p->is_declared && x->type != XPROF_OBJFD) ||
			    (p->nr_vp_records && !o->nr_values) || !take_lists(w, o, p))
				return fail_at(w, XPROF_ARRAY_procs, k,
					       "invalid name or lists of a procedure");
		}
	}
	return 0;
}

static int check_programs(struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_programs; i++) {
		const struct xprof_program *p = &x->programs[i];

		if (!is_string(x, p->path) || p->has & ~3u ||
		    !take_elements(w, XPROF_ARRAY_refs, p->first_ref, p->nr_refs) ||
		    !take_elements(w, XPROF_ARRAY_comdats, p->first_comdat, p->nr_comdats))
			return fail_at(w, XPROF_ARRAY_programs, i,
				       "invalid path or lists of a program");
	}
	for (uint32_t i = 0; i < x->nr_refs; i++)
		if (x->refs[i].object >= x->nr_objects)
			return fail_at(w, XPROF_ARRAY_refs, i, "object file out of range");
	return 0;
}

static int check_sources(struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_sources; i++) {
		const struct xprof_source *s = &x->sources[i];

		if (!is_string(x, s->path) ||
		    !take_elements(w, XPROF_ARRAY_lines, s->first_line, s->nr_lines))
			return fail_at(w, XPROF_ARRAY_sources, i,
				       "invalid path or lines of a source file");
	}
	for (uint32_t i = 0; i < x->nr_lines; i++)
		if (!take_elements(w, XPROF_ARRAY_block_refs, x->lines[i].first_block_ref,
			  x->lines[i].nr_block_refs))
			return fail_at(w, XPROF_ARRAY_lines, i, "invalid blocks of a source line");
	return 0;
}

/* Strings of records that own no other elements. */
static int check_texts(const struct walk *w)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_values; i++)
		if (!is_string(x, x->values[i].name) || !is_string(x, x->values[i].path))
			return fail_at(w, XPROF_ARRAY_values, i, "invalid string");
	for (uint32_t i = 0; i < x->nr_tuples; i++)
		if (!is_string(x, x->tuples[i].file))
			return fail_at(w, XPROF_ARRAY_tuples, i, "invalid string");
	for (uint32_t i = 0; i < x->nr_comdats; i++)
		if (!is_string(x, x->comdats[i].name) || !is_string(x, x->comdats[i].path))
			return fail_at(w, XPROF_ARRAY_comdats, i, "invalid string");
	for (uint32_t i = 0; i < x->nr_block_refs; i++)
		if (!is_string(x, x->block_refs[i].name) || !is_string(x, x->block_refs[i].path) ||
		    x->block_refs[i].unused)
			return fail_at(w, XPROF_ARRAY_block_refs, i, "invalid string");
	return 0;
}

static int check_arrays(struct decoder *d)
{
	const struct xprof *x = d->x;
	struct walk w = {
		.decoder = d, .x = x,
		.sizes = {
#define SIZE(name, element, wide, narrow)	x->nr_##name,
			XPROF_ARRAYS(SIZE)
		},
	};
	int err = check_strings(&w);

	if (!err)
		err = check_objects(&w);
	if (!err)
		err = check_programs(&w);
	if (!err)
		err = check_sources(&w);
	if (!err)
		err = check_texts(&w);
	for (int i = XPROF_ARRAY_procs; i < NR_XPROF_ARRAYS && !err; i++)
		if (w.next[i] != w.sizes[i] && i != XPROF_ARRAY_programs &&
		    i != XPROF_ARRAY_sources)
			return fail_at(&w, i, w.next[i], "element without an owner");
	return err;
}

/* --- the file --- */

/* Files of minor version 0 never contain the counters of an objfd. */
static void declare_counters(struct decoder *d)
{
	if (d->x->type != XPROF_OBJFD || d->header.minor)
		return;
	for (uint32_t i = 0; i < d->x->nr_procs; i++)
		d->x->procs[i].is_declared = 1;
}

static int decode(struct decoder *d, const struct xprof_options *options)
{
	const struct xprof_places places = { .path = d->path };
	int err = read_header(d);

	if (!err)
		err = read_sections(d);
	if (!err) {
		declare_counters(d);
		err = check_arrays(d);
	}
	return err ? err : xprof_check(d->x, &places, options, d->e);
}

static int map_file(const char *path, char **ret, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *map;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (!S_ISREG(st.st_mode) || !st.st_size) {
		err = -ENODATA;
	} else {
		map = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		err = map == MAP_FAILED ? -errno : 0;
		*ret = map;
		*ret_size = st.st_size;
	}
	close(fd);
	return err;
}

int xprof_file_read(const char *path, const struct xprof_options *options, struct xprof **ret,
		    struct op_error *e)
{
	struct decoder d = { .path = path, .e = e };
	int err = map_file(path, &d.base, &d.size);

	if (err == -ENODATA)
		return op_error_set(e, -EPROTO, "'%s' is empty or not a regular file", path);
	if (err)
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	d.x = xcalloc(1, sizeof(*d.x));
	d.x->map = d.base;
	d.x->map_size = d.size;
	err = decode(&d, options);
	if (err)
		xprof_free(d.x);
	else
		*ret = d.x;
	return err;
}
