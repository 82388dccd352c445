/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered.h - a copy of the code that a process registered for debuggers
 *
 * Programs that make code at run time describe it to debuggers by GDB's JIT interface: the variable
 * __jit_debug_descriptor leads to a list of ELF images in their memory. The opener follows the list
 * and copies what begins as an ELF file; nobody else gets to see that memory. Nothing in it is
 * trusted, and the process may change it meanwhile: doc/jit.md [JT-60] ff.
 */
#ifndef LIBUTIL_OPENER_REGISTERED_H
#define LIBUTIL_OPENER_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGISTERED_SYMBOL	"__jit_debug_descriptor"
#define REGISTERED_LISTS_MAX	8			/* of a process, */
#define REGISTERED_IMAGES_MAX	4096			/* and all their images */
#define REGISTERED_IMAGE_MAX	(UINT64_C(16) << 20)	/* bytes of an image, */
#define REGISTERED_BYTES_MAX	(UINT64_C(64) << 20)	/* and of a copy */

/* Why an image is missing in a copy; bits of registered_head.missing. */
enum registered_missing {
	REGISTERED_LOOP,		/* the list has one: all of it */
	REGISTERED_MANY,		/* more images than REGISTERED_IMAGES_MAX */
	REGISTERED_LARGE,		/* larger than REGISTERED_IMAGE_MAX */
	REGISTERED_FULL,		/* no room in REGISTERED_BYTES_MAX */
	REGISTERED_UNREADABLE,		/* its memory is not mapped */
	REGISTERED_NO_ELF,		/* it does not begin as an ELF file */
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

/*
 * Copy what is registered in the process @pid at the @nr addresses @descriptors, where it has
 * REGISTERED_SYMBOL, to a sealed memfd of the process's user. Blocks while the process's memory
 * does. -ENOENT: nothing is registered. Other -errno: no right to read it, or it has ended.
 */
int opener_registered(uint32_t pid, const uint64_t *descriptors, size_t nr);
int opener_registered_here(uint32_t pid, const uint64_t *descriptors, size_t nr);

/*
 * For a copy of @len bytes at @bytes: the image at *@at, which begins as 0 and moves behind it.
 * NULL: no more, or the copy is malformed.
 */
const unsigned char *registered_next(const unsigned char *bytes, size_t len, size_t *at,
				     size_t *ret_len);

#endif
