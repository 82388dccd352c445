// SPDX-License-Identifier: GPL-2.0-or-later
/* made.c - objects with the names of code made at run time, beside its samples [JT-40] */
#include "libsampler/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/jit/object.h"
#include "daemon/jit/places.h"
#include "libsampler/build/made.h"
#include "libutil/file.h"

#define OBJECT_MAX	(1u << 30)	/* bytes */

static bool has_made_code(const struct session_update *u)
{
	for (uint32_t i = 0; i < u->p->nr_images; i++)
		if (u->images[i].is_known && u->images[i].name.kind == IMAGE_ANON)
			return true;
	return false;
}

/* The object's bytes, malloc'd. */
static int make_object(const struct build_made *made, char **ret_bytes, size_t *ret_size)
{
	int fd = memfd_create("object", MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = jit_object_write(fd, &made->layout, made->code.machine);
	if (!err && lseek(fd, 0, SEEK_SET))
		err = -errno;
	if (!err)
		err = file_read_all_fd(fd, OBJECT_MAX, ret_bytes, ret_size);
	close(fd);
	return err;
}

/* One in each folder of such memory; several mappings may share one. */
static int write_objects(struct session_update *u, const char *samples_dir, const char *bytes,
			 size_t size)
{
	const struct jit_object object = { .bytes = bytes, .size = size, .uid = geteuid(),
					   .gid = getegid(), .mode = 0644 };
	int err = 0;

	for (uint32_t i = 0; i < u->p->nr_images && !err; i++) {
		const struct session_image *image = &u->images[i];
		char *place;

		if (!image->is_known || image->name.kind != IMAGE_ANON)
			continue;
		place = jit_place(samples_dir, u->app.path, image->name.path);
		if (place)
			err = jit_place_object(samples_dir, place, (uint32_t)u->pid, &object);
		free(place);
	}
	return err;
}

void session_write_made(struct session_update *u, const char *samples_dir)
{
	struct build_made made;
	char *bytes = NULL;
	size_t size;
	int err = 0;

	if (!has_made_code(u))
		return;
	build_made_read(&made);
	if (made.layout.nr) {
		err = make_object(&made, &bytes, &size);
		if (!err)
			err = write_objects(u, samples_dir, bytes, size);
		free(bytes);
	}
	build_made_free(&made);
	if (err)
		session_failed(u, err, samples_dir);
}
