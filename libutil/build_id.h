/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_id.h - the identity that the linker gave an ELF file */
#ifndef LIBUTIL_BUILD_ID_H
#define LIBUTIL_BUILD_ID_H

#include <stddef.h>

#define BUILD_ID_MAX	32			/* bytes */
#define BUILD_ID_TEXT	(2 * BUILD_ID_MAX + 1)	/* as hex digits, with the NUL */

struct build_id {
	unsigned char bytes[BUILD_ID_MAX];
	size_t len;				/* 0: none */
};

/* -ENODATA: ELF file without a build ID. -ENOEXEC: not an ELF file. The position of @fd stays. */
int build_id_read_fd(int fd, struct build_id *ret);
int build_id_read(const char *path, struct build_id *ret);

/* The same from the bytes of a note section, such as /sys/kernel/notes. -ENODATA. */
int build_id_read_notes(const void *notes, size_t size, struct build_id *ret);

/* Format @id as lower-case hex, "" if it is empty; returns @text. */
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

#endif
