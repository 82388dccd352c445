// SPDX-License-Identifier: GPL-2.0-or-later
/* gathered.c - add the images and places of a session's samples, each once */
#include "pp/exchange/export/gathered.h"

#include <errno.h>
#include <stdlib.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/report/populate.h"

/* --- imported sessions --- */

void export_read_imported(struct export *x)
{
	const struct session_list *all = &x->collection->sessions;

	x->imported = xcalloc(all->nr + 1, sizeof(*x->imported));
	for (size_t i = 0; i < all->nr; i++) {
		char *stats = path_join(all->sessions[i].samples, "stats");
		struct op_error why = { "" };
		int err = imported_read(stats, &x->imported[i], &why);

		if (err && err != -ENOENT)
			notice_add(x->notices, "%s", why.text);
		free(stats);
	}
}

const struct imported *export_imported(const struct export *x, const struct report_session *s)
{
	return &x->imported[s - x->collection->sessions.sessions];
}

/* --- images --- */

/* Read from a sample file of the image whether it is a kernel, and the age of its file. */
static void read_header(struct export *x, struct report_image *image)
{
	const struct file_list *files = &x->collection->files;

	for (size_t i = 0; i < files->nr; i++) {
		struct sample_header header;

		if (files->files[i].image != image ||
		    sample_file_read_header(&files->files[i], &header, NULL))
			continue;
		image->is_kernel |= header.is_kernel;
		find_image(x->collection->finder, image, x->notices);
		if (image->found && image->kind == IMAGE_FILE)
			populate_check_age(image, &files->files[i], &header, x->notices);
		return;
	}
}

uint32_t export_image_get(struct export *x, struct report_image *image,
			  const struct report_session *session)
{
	const struct inverted_image inverted = {
		.image = image, .session = image->kind == IMAGE_KERNEL ? session : NULL,
	};
	struct notices ignored = { 0 };		/* missing symbols, if none are wanted */
	struct export_image *i;

	for (size_t at = x->nr_images; at-- > 0;)
		if (x->images[at]->image == image && x->images[at]->session == inverted.session)
			return (uint32_t)at;
	read_header(x, image);
	i = xcalloc(1, sizeof(*i));
	i->image = image;
	i->session = inverted.session;
	populate_open_image(&inverted, &x->populate, x->collection->finder, &i->binary,
			    x->options->symbols ? x->notices : &ignored);
	notices_free(&ignored);
	xgrow(x->images, x->nr_images, x->images_room);
	x->images[x->nr_images] = i;
	return (uint32_t)x->nr_images++;
}

/* --- places --- */

uint32_t export_place(struct export *x, uint32_t image, uint64_t key, uint64_t anon_start)
{
	struct export_image *i = x->images[image];
	/* JIT symbols are at addresses, JIT keys are offsets from the start of the mapping */
	uint64_t base = i->image->kind == IMAGE_JIT ? anon_start : i->binary.key_base;
	uint64_t at = key + base < key ? UINT64_MAX : key + base;
	uint32_t nr = x->gathered->nr_places;
	uint32_t place = profile_place(x->gathered, image, at, NULL, 0);

	i->nr_places += x->gathered->nr_places - nr;
	return place;
}

uint32_t export_place_find(const struct export *x, uint32_t image, uint64_t key)
{
	uint64_t at = key + x->images[image]->binary.key_base;
	uint32_t place = profile_place(x->gathered, image, at, NULL, 0);

	return place < x->nr_named ? place : PROFILE_NONE;
}
