/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - map a binary file of profile feedback and see that it is sound
 *
 * Checksums are for accidents; that a file was made with care by somebody hostile is assumed when
 * its numbers are looked at. A file of the other byte order is swapped within the private mapping.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "feedback/xprof/crc32c.h"
#include "feedback/xprof/decode.h"
#include "feedback/xprof/file.h"
#include "libutil/xalloc.h"

struct decoder {
	char *base;
	size_t size;
	struct xprof_file_header header;	/* in this machine's order */
	bool swapped;
	struct xprof *x;
	struct op_error *e;
};

static int fail(struct decoder *d, size_t offset, const char *what)
{
	return op_error_set(d->e, -EPROTO, "byte %zu: %s", offset, what);
}

static uint32_t order32(const struct decoder *d, uint32_t n)
{
	return d->swapped ? __builtin_bswap32(n) : n;
}

static uint64_t order64(const struct decoder *d, uint64_t n)
{
	return d->swapped ? __builtin_bswap64(n) : n;
}

static int read_order(struct decoder *d)
{
	struct xprof_file_header *h = &d->header;

	if (d->size < sizeof(*h))
		return fail(d, d->size, "the file ends within its header [XP-25]");
	memcpy(h, d->base, sizeof(*h));
	if (memcmp(h->magic, XPROF_FILE_MAGIC, sizeof(h->magic)))
		return fail(d, 0, "no profile feedback file: the first 8 bytes say so [XP-25]");
	d->swapped = h->byte_order == __builtin_bswap32(XPROF_FILE_ORDER);
	if (!d->swapped && h->byte_order != XPROF_FILE_ORDER)
		return fail(d, 8, "no known byte order [XP-25]");
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
	if (h->total_size != d->size)
		return fail(d, d->size, h->total_size > d->size
			    ? "the file is cut short [XP-25]" : "more than the file says [XP-25]");
	if (h->major != XPROF_FILE_MAJOR)
		return op_error_set(d->e, -EPROTO, "byte 12: version %u.%u is not known [XP-25]",
				    h->major, h->minor);
	if (h->header_size > d->size || h->header_size < sizeof(*h) || h->nr_sections > 1000 ||
	    h->header_size != sizeof(*h) + h->nr_sections * sizeof(struct xprof_file_section))
		return fail(d, 16, "the header's size is wrong [XP-25]");
	crc = crc32c(0, d->base, crc_at);
	crc = crc32c(crc, &zero, sizeof(zero));
	crc = crc32c(crc, d->base + crc_at + 4, h->header_size - crc_at - 4);
	if (crc != h->crc)
		return fail(d, crc_at, "the header's checksum is wrong [XP-26]");
	if (h->type >= NR_XPROF_TYPES)
		return fail(d, 32, "no known type of file [XP-25]");
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

/* Where the arrays of struct xprof are. */
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

static int take_section(struct decoder *d, const struct xprof_file_section *s, size_t at)
{
	const struct slot *slot;
	char **items;
	uint32_t *nr;

	if (!s->id || s->id > NR_XPROF_ARRAYS)
		return 0;	/* of a later minor version */
	slot = &slots[s->id - 1];
	items = (char **)((char *)d->x + slot->items);
	nr = (uint32_t *)(void *)((char *)d->x + slot->nr);
	if (s->element_size != slot->element_size || s->size % slot->element_size || *items ||
	    s->size / slot->element_size >= UINT32_MAX)
		return fail(d, at, "a section twice, or whose elements are not those of this "
			    "version [XP-27]");
	*items = d->base + s->offset;
	*nr = s->size / slot->element_size;
	if (d->swapped)
		swap_numbers(*items, *nr, slot->wide, slot->narrow);
	return 0;
}

/* Sections follow one another without a gap, so no byte is outside of a checksum. */
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
			return fail(d, at, "a section is not where the one before ends [XP-27]");
		room = s.size + (-s.size & 7);
		if (crc32c(0, d->base + s.offset, room) != order32(d, s.crc))
			return fail(d, s.offset, "the checksum of the section that begins here is "
				    "wrong [XP-26]");
		expected += room;
		err = take_section(d, &s, at);
	}
	if (!err && expected != d->size)
		return fail(d, expected, "bytes after the last section [XP-27]");
	return err;
}

static int decode(struct decoder *d, const struct xprof_options *options)
{
	int err = read_header(d);

	if (!err)
		err = read_sections(d);
	if (!err)
		err = xprof_check_arrays(d->x, d->e);
	return err ? err : xprof_check(d->x, NULL, options, d->e);
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
	struct op_error why = { "" };
	struct decoder d = { .e = &why };
	int err = map_file(path, &d.base, &d.size);

	if (err == -ENODATA)
		return op_error_set(e, -EPROTO, "'%s': byte 0: the file is empty [XP-25]", path);
	if (err)
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	d.x = xcalloc(1, sizeof(*d.x));
	d.x->map = d.base;
	d.x->map_size = d.size;
	err = decode(&d, options);
	if (err) {
		xprof_free(d.x);
		return op_error_set(e, err, "'%s': %s", path, why.text);
	}
	*ret = d.x;
	return 0;
}
