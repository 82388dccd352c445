/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_file.c - find the separate debug file of a stripped binary
 *
 * A wrong debug file is worse than none: its names would be given to other code. So the
 * build-id must be equal, or the checksum in .gnu_debuglink right.
 */
#include "binary_bfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id.h"
#include "file.h"
#include "xalloc.h"

#define DEBUG_DIR "/usr/lib/debug"

static bfd *open_with_symbols(const char *path)
{
	struct op_error e;
	int err;
	bfd *abfd = binary_bfd_open(path, &err, &e);

	if (abfd && !(bfd_get_file_flags(abfd) & HAS_SYMS)) {
		bfd_close(abfd);
		return NULL;
	}
	return abfd;
}

static bfd *open_by_build_id(const char *path, const char *root)
{
	char text[BUILD_ID_TEXT], *debug_path;
	struct build_id id, debug_id;
	bfd *abfd = NULL;

	if (build_id_read(path, &id) < 0 || id.len < 2)
		return NULL;
	build_id_text(&id, text);
	debug_path = xasprintf("%s%s/.build-id/%.2s/%s.debug", root, DEBUG_DIR, text, text + 2);
	if (!build_id_read(debug_path, &debug_id) && debug_id.len == id.len &&
	    !memcmp(debug_id.bytes, id.bytes, id.len))
		abfd = open_with_symbols(debug_path);
	free(debug_path);
	return abfd;
}

static bool has_crc(const char *path, unsigned long want)
{
	static unsigned char buf[64 * 1024];
	unsigned long crc = 0;
	struct stat st;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			crc = bfd_calc_gnu_debuglink_crc32(crc, buf, n);
	close(fd);
	return n == 0 && crc == want;
}

static bfd *try_link(char *path, const char *image_path, unsigned long crc)
{
	bfd *abfd = NULL;

	if (strcmp(path, image_path) && has_crc(path, crc))
		abfd = open_with_symbols(path);
	free(path);
	return abfd;
}

static bfd *open_by_link(bfd *image, const char *path, const char *root)
{
	size_t root_len = strlen(root);
	unsigned long crc;
	char *name = bfd_get_debug_link_info(image, &crc), *dir = xstrdup(path);
	const char *below_root;
	bfd *abfd = NULL;

	dir[path_base(path) - path] = '\0';	/* keeps the '/' */
	below_root = strncmp(dir, root, root_len) ? dir : dir + root_len;
	if (name && *name && !strchr(name, '/')) {
		abfd = try_link(xasprintf("%s.debug/%s", dir, name), path, crc);
		if (!abfd)
			abfd = try_link(xasprintf("%s%s/%s%s", root, DEBUG_DIR,
						  below_root + (*below_root == '/'), name),
					path, crc);
		if (!abfd)
			abfd = try_link(xasprintf("%s%s", dir, name), path, crc);
	}
	free(name);
	free(dir);
	return abfd;
}

bfd *debug_file_open(bfd *image, const char *path, const char *root)
{
	bfd *abfd = open_by_build_id(path, root);

	return abfd ? abfd : open_by_link(image, path, root);
}
