/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered.h - a copy of what a process says to debuggers about code that it made
 *
 * Programs that make code at run time describe it to debuggers by GDB's JIT interface: the variable
 * __jit_debug_descriptor leads to a list of ELF images in their memory. The opener follows the list
 * and copies what begins as an ELF file. HotSpot, which runs Java, has variables that lead to
 * tables of its structures instead, by which the opener finds the code and its names (hotspot.h).
 * Nobody else gets to see that memory. Nothing in it is trusted, and the process may change it
 * meanwhile: doc/jit.md [JT-60] ff.
 */
#ifndef LIBUTIL_OPENER_REGISTERED_H
#define LIBUTIL_OPENER_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGISTERED_SYMBOL	"__jit_debug_descriptor"
#define REGISTERED_STRUCTS	"gHotSpotVMStructs"
#define REGISTERED_TYPES	"gHotSpotVMTypes"
#define REGISTERED_LISTS_MAX	8			/* of a process, */
#define REGISTERED_IMAGES_MAX	4096			/* all their images, */
#define REGISTERED_BLOBS_MAX	65536			/* and HotSpot's pieces of code */
#define REGISTERED_IMAGE_MAX	(UINT64_C(16) << 20)	/* bytes of an image, */
#define REGISTERED_BYTES_MAX	(UINT64_C(64) << 20)	/* and of a copy */

/* Why an image is missing in a copy; bits of registered_head.missing. */
enum registered_missing {
	REGISTERED_LOOP,		/* the list has one: all of it */
	REGISTERED_MANY,		/* more than _IMAGES_MAX, _BLOBS_MAX or HOTSPOT_PAGES_MAX */
	REGISTERED_LARGE,		/* larger than REGISTERED_IMAGE_MAX */
	REGISTERED_FULL,		/* no room in _BYTES_MAX, or twice that was read */
	REGISTERED_UNREADABLE,		/* its memory is not mapped */
	REGISTERED_NO_ELF,		/* it does not begin as an ELF file */
	REGISTERED_OTHER,		/* another HotSpot than those that hotspot.h reads */
	REGISTERED_REASONS
};

/* A copy: this, and for each image a registered_image and its bytes, padded to 8. */
struct registered_head {
	uint64_t magic;
	uint32_t nr;
	uint32_t missing;
};

struct registered_image {
	uint64_t size;			/* in bytes, without the padding */
};

#define REGISTERED_MAGIC	UINT64_C(0x7265746973676572)

/* An image that is a piece of HotSpot's code instead: this, @size bytes of code, and its name. */
struct registered_blob {
	uint32_t magic;
	uint32_t frame_size;		/* bytes with the return address; 0: it has no frame */
	uint64_t start;
	uint32_t size;
	uint32_t complete;		/* from this offset on it has the frame */
	char kind[8];			/* as HotSpot calls it: "nmethod", "Interpre", ... */
};

#define REGISTERED_BLOB		0x626f6c62

/* Where a process has variables. */
struct registered_place {
	uint64_t symbol;		/* REGISTERED_SYMBOL, or with @types REGISTERED_STRUCTS */
	uint64_t types;			/* REGISTERED_TYPES, or 0 */
};

/*
 * Copy what the process @pid has at @nr places to a sealed memfd of the process's user. Blocks
 * while the process's memory does. -ENOENT: nothing is registered. Other -errno: no right to read
 * it, or it has ended.
 */
int opener_registered(uint32_t pid, const struct registered_place *places, size_t nr);
int opener_registered_here(uint32_t pid, const struct registered_place *places, size_t nr);

/*
 * For a copy of @len bytes at @bytes: the image at *@at, which begins as 0 and moves behind it.
 * NULL: no more, or the copy is malformed.
 */
const unsigned char *registered_next(const unsigned char *bytes, size_t len, size_t *at,
				     size_t *ret_len);

/* Whether that image is a piece of HotSpot's code, with its code and its name inside of the image;
 * both follow *ret. */
bool registered_is_blob(const unsigned char *image, size_t len, struct registered_blob *ret);

#endif
