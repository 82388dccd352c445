/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invert.c - sort the files by image, then cut the sorted list into groups */
#include "pp/select/invert.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/xalloc.h"

/* Kernels of two boots have the same name but different addresses: they are two images. */
static const struct report_session *session_of(const struct arranged_file *f)
{
	return f->image->kind == IMAGE_KERNEL ? f->file->session : NULL;
}

static int compare_images(const struct report_image *a, const struct report_image *b)
{
	int order;

	if (a == b)
		return 0;
	order = strcmp(a->name, b->name);
	return order ? order : a < b ? -1 : 1;
}

static int compare_image_part(const struct arranged_file *a, const struct arranged_file *b)
{
	int order = compare_images(a->image, b->image);

	if (order || session_of(a) == session_of(b))
		return order;
	return session_of(a) < session_of(b) ? -1 : 1;
}

static int compare_files(const void *a, const void *b)
{
	const struct arranged_file *x = *(const struct arranged_file *const *)a;
	const struct arranged_file *y = *(const struct arranged_file *const *)b;
	int order = compare_image_part(x, y);

	if (!order)
		order = compare_images(x->app, y->app);
	return order ? order : x < y ? -1 : x > y;	/* in order of class */
}

void invert_arrangement(const struct arrangement *a, struct inversion *ret)
{
	struct inversion inv = { 0 };
	size_t nr_apps = 0;

	inv.files = xcalloc(a->nr_files + 1, sizeof(*inv.files));
	inv.apps = xcalloc(a->nr_files + 1, sizeof(*inv.apps));
	inv.images = xcalloc(a->nr_files + 1, sizeof(*inv.images));
	for (size_t i = 0; i < a->nr_files; i++)
		inv.files[i] = &a->files[i];
	qsort(inv.files, a->nr_files, sizeof(*inv.files), compare_files);
	for (size_t i = 0; i < a->nr_files; i++) {
		const struct arranged_file *f = inv.files[i];
		bool is_new_image = !i || compare_image_part(f, inv.files[i - 1]);

		if (is_new_image)
			inv.images[inv.nr_images++] = (struct inverted_image){
				.image = f->image,
				.session = session_of(f),
				.apps = &inv.apps[nr_apps],
			};
		if (is_new_image || f->app != inv.files[i - 1]->app) {
			inv.images[inv.nr_images - 1].nr_apps++;
			inv.apps[nr_apps++] = (struct inverted_app){
				.app = f->app,
				.files = &inv.files[i],
			};
		}
		inv.apps[nr_apps - 1].nr++;
	}
	*ret = inv;
}

void inversion_free(struct inversion *inversion)
{
	free(inversion->images);
	free(inversion->apps);
	free(inversion->files);
	*inversion = (struct inversion){ 0 };
}

void inversion_print(const struct inversion *inversion, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < inversion->nr_images; i++) {
		const struct inverted_image *image = &inversion->images[i];

		strbuf_addf(&line, "image %s:", image->image->name);
		for (size_t j = 0; j < image->nr_apps; j++)
			strbuf_addf(&line, " %s (%zu files)", image->apps[j].app->name,
				    image->apps[j].nr);
		print_line(&line, out);
	}
	strbuf_free(&line);
}
