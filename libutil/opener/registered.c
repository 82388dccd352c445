// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * registered.c - copy what a process has registered for debuggers
 *
 * Only the process's own lock protects its list. So the list is followed again if it changed
 * meanwhile; and what was copied from memory that was reused is malformed at worst.
 */
#include "libutil/opener/registered.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libutil/opener/hotspot.h"
#include "libutil/opener/memory.h"

#define PIECE		(64u << 10)	/* bytes read at a time */
#define ATTEMPTS	3
#define ALIGN(n)	(((n) + 7) & ~UINT64_C(7))

/* In memory of the process, whose addresses have 64 bits. */
struct descriptor {
	uint32_t version, action;
	uint64_t relevant, first;
};

struct entry {
	uint64_t next, previous, image, size;
};

struct copy {
	uint32_t pid;
	struct stat owner;		/* before */
	int fd;
	uint64_t size;			/* of the file */
	uint64_t nr_read;		/* bytes of images, also of those that are not copied */
	uint64_t nr_pages;		/* of hotspot.h, of all attempts */
	struct registered_head head;
	unsigned int nr_entries, nr_blobs;
};

static bool is_elf(const unsigned char *head)
{
	uint16_t type;

	memcpy(&type, head + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	return !memcmp(head, ELFMAG, SELFMAG) &&
	       (type == ET_REL || type == ET_EXEC || type == ET_DYN);
}

/* 0, a reason + 1, or -errno of writing. */
static int copy_bytes(struct copy *c, uint64_t address, uint64_t size, uint64_t to)
{
	unsigned char piece[PIECE];

	for (uint64_t at = 0; at < size; at += sizeof(piece)) {
		size_t n = size - at < sizeof(piece) ? (size_t)(size - at) : sizeof(piece);

		if (process_read(c->pid, address + at, piece, n))
			return REGISTERED_UNREADABLE + 1;
		c->nr_read += n;
		if (!at && !is_elf(piece))
			return REGISTERED_NO_ELF + 1;
		if (pwrite(c->fd, piece, n, (off_t)(to + at)) != (ssize_t)n)
			return errno ? -errno : -ENOSPC;
	}
	return 0;
}

static int copy_image(struct copy *c, const struct entry *e)
{
	const struct registered_image image = { e->size };
	uint64_t room = sizeof(image) + ALIGN(e->size);
	int err;

	if (e->size < sizeof(Elf64_Ehdr))
		return REGISTERED_NO_ELF + 1;
	if (e->size > REGISTERED_IMAGE_MAX)
		return REGISTERED_LARGE + 1;
	if (c->size + room > REGISTERED_BYTES_MAX || c->nr_read > 2 * REGISTERED_BYTES_MAX)
		return REGISTERED_FULL + 1;
	err = copy_bytes(c, e->image, e->size, c->size + sizeof(image));
	if (err)
		return err;
	if (pwrite(c->fd, &image, sizeof(image), (off_t)c->size) != sizeof(image))
		return -errno;
	c->size += room;
	c->head.nr++;
	return 0;
}

static int miss(struct copy *c, enum registered_missing reason)
{
	c->head.missing |= 1u << reason;
	return 0;
}

/* The list from @address on. A loop is found by an entry kept from a power of two ago (Brent). */
static int copy_list(struct copy *c, uint64_t address)
{
	uint64_t kept = 0, size = c->size;
	unsigned int steps = 0, power = 1;
	uint32_t nr = c->head.nr;
	struct entry e;
	int err;

	for (; address; address = e.next) {
		if (address == kept) {
			c->size = size;
			c->head.nr = nr;
			return miss(c, REGISTERED_LOOP);
		}
		if (c->nr_entries++ >= REGISTERED_IMAGES_MAX)
			return miss(c, REGISTERED_MANY);
		if (process_read(c->pid, address, &e, sizeof(e)))
			return miss(c, REGISTERED_UNREADABLE);
		err = copy_image(c, &e);
		if (err < 0)
			return err;
		if (err)
			miss(c, (enum registered_missing)(err - 1));
		if (++steps == power) {
			kept = address;
			power *= 2;
		}
	}
	return 0;
}

/* -EAGAIN: the list changed meanwhile. */
static int copy_registered(struct copy *c, uint64_t descriptor)
{
	struct descriptor d, again;
	int err = process_read(c->pid, descriptor, &d, sizeof(d));

	if (!err && d.version == 1)
		err = copy_list(c, d.first);
	if (!err && (process_read(c->pid, descriptor, &again, sizeof(again)) ||
		     memcmp(&d, &again, sizeof(d))))
		err = -EAGAIN;
	return err;
}

/* A piece of HotSpot's code: as an image. 1: no more. */
static int copy_blob(void *context, const struct iovec *parts, int nr)
{
	struct copy *c = context;
	struct registered_image image = { 0 };
	struct iovec all[1 + HOTSPOT_PARTS] = { { &image, sizeof(image) } };
	uint64_t room;

	for (int i = 0; i < nr; i++) {
		all[1 + i] = parts[i];
		image.size += parts[i].iov_len;
	}
	room = sizeof(image) + ALIGN(image.size);
	if (c->size + room > REGISTERED_BYTES_MAX)
		return 1 + miss(c, REGISTERED_FULL);
	if (c->nr_blobs++ >= REGISTERED_BLOBS_MAX)
		return 1 + miss(c, REGISTERED_MANY);
	if (pwritev(c->fd, all, 1 + nr, (off_t)c->size) !=
	    (ssize_t)(sizeof(image) + image.size))
		return -ENOSPC;
	c->size += room;
	c->head.nr++;
	return 0;
}

static int copy_hotspot(struct copy *c, const struct registered_place *place)
{
	int err = hotspot_blobs(c->pid, place, &c->nr_pages, copy_blob, c);

	if (err == -E2BIG)
		return miss(c, REGISTERED_MANY);
	if (err == -EPROTO)
		return miss(c, REGISTERED_OTHER);
	return err == 1 || err == -EFAULT ? 0 : err;
}

static int copy_all(struct copy *c, const struct registered_place *places, size_t nr)
{
	int err = 0;

	c->size = sizeof(c->head);
	c->nr_read = c->nr_entries = c->nr_blobs = 0;
	c->head = (struct registered_head){ .magic = REGISTERED_MAGIC };
	for (size_t i = 0; i < nr && !err; i++)
		err = places[i].types ? copy_hotspot(c, &places[i]) :
					copy_registered(c, places[i].symbol);
	return err;
}

static int finish(const struct copy *c)
{
	if (!c->head.nr && !c->head.missing)
		return -ENOENT;
	if (pwrite(c->fd, &c->head, sizeof(c->head), 0) != sizeof(c->head) ||
	    ftruncate(c->fd, (off_t)c->size))
		return -errno;
	process_give(c->pid, c->fd, &c->owner);
	return fcntl(c->fd, F_ADD_SEALS,
		     F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) ? -errno : 0;
}

int opener_registered_here(uint32_t pid, const struct registered_place *places, size_t nr)
{
	struct copy c = { .pid = pid, .owner = process_owner(pid) };
	int err = -EAGAIN;

	c.fd = memfd_create("registered", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (c.fd < 0)
		return -errno;
	for (unsigned int i = 0; i < ATTEMPTS && err == -EAGAIN; i++)
		err = copy_all(&c, places, nr);
	if (!err || err == -EAGAIN)
		err = finish(&c);
	if (!err)
		return c.fd;
	close(c.fd);
	return err;
}

const unsigned char *registered_next(const unsigned char *bytes, size_t len, size_t *at,
				     size_t *ret_len)
{
	struct registered_image image;
	struct registered_head head;
	size_t from = *at ? *at : sizeof(head);

	if (len < sizeof(head) || from > len || len - from < sizeof(image))
		return NULL;
	memcpy(&head, bytes, sizeof(head));
	memcpy(&image, bytes + from, sizeof(image));
	from += sizeof(image);
	if (head.magic != REGISTERED_MAGIC || image.size > REGISTERED_IMAGE_MAX ||
	    image.size > len - from)
		return NULL;
	*ret_len = image.size;
	*at = from + ALIGN(image.size);
	return bytes + from;
}

bool registered_is_blob(const unsigned char *image, size_t len, struct registered_blob *ret)
{
	if (len < sizeof(*ret))
		return false;
	memcpy(ret, image, sizeof(*ret));
	return ret->magic == REGISTERED_BLOB && ret->size <= len - sizeof(*ret) &&
	       ret->complete <= ret->size && ret->start <= UINT64_MAX - ret->size;
}
