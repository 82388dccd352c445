/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fetch_debug.c - count the samples of each image, fetch the debug files of those with many */
#include "pp/report/fetch_debug.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/debug_file.h"
#include "pp/binary/object_file.h"
#include "pp/select/samples.h"

#define WORTH_FETCHING	1.0	/* percent of all samples */

/* Files that cannot be read are reported when they are read again for the report. */
static uint64_t count_samples(const struct inverted_image *image)
{
	struct notices ignored = { 0 };
	struct sample_header header;
	uint64_t sum = 0, n;

	for (size_t i = 0; i < image->nr_apps; i++)
		for (size_t k = 0; k < image->apps[i].nr; k++)
			if (!samples_count_file(image->apps[i].files[k], &header, &n, &ignored))
				sum += n;
	notices_free(&ignored);
	return sum;
}

static bool has_table(const struct object_file *f)
{
	for (size_t i = 1; i < f->nr_sections; i++)
		if (f->sections[i].type == SHT_SYMTAB)
			return true;
	return false;
}

static bool has_enough(const struct object_file *f, bool lines)
{
	return lines ? object_section_find(f, ".debug_info") || object_section_find(f,
										   ".zdebug_info")
		     : has_table(f);
}

/* Does a report need a debug file of @image that is not here? If so, @text is its build ID. */
static bool is_wanted(const struct object_file *image, const char *path, const char *root,
		      bool lines, char text[BUILD_ID_TEXT])
{
	char *debug_path = NULL, *looked = NULL;
	struct object_file debug;
	struct build_id id;
	bool wanted;

	if (has_enough(image, lines) || object_file_build_id(image, &id))
		return false;
	build_id_text(&id, text);
	wanted = debug_file_open(image, path, root, &debug, &debug_path, &looked) ||
		 !has_enough(&debug, lines);
	if (debug_path)
		object_file_close(&debug);
	free(debug_path);
	free(looked);
	return wanted;
}

/* Returns false if there is no point in fetching more. */
static bool fetch_one(struct debug_server *server, const struct report_image *image,
		      const char *root, bool lines, struct notices *notices)
{
	char text[BUILD_ID_TEXT], *path;
	struct op_error e = { "" };
	struct object_file f;
	bool wanted;
	int err;

	if (object_file_open(image->found, &f, NULL))
		return true;		/* reported later */
	wanted = is_wanted(&f, image->found, root, lines, text);
	object_file_close(&f);
	if (!wanted)
		return true;
	err = debug_server_fetch(server, text, path_base(image->name), &path, &e);
	if (err) {
		notice_add(notices, "cannot fetch the debug file of '%s' from DEBUGINFOD_URLS: %s",
			   image->name, e.text);
		return err != -ETIME;
	}
	debug_file_fetched(text, path);
	free(path);
	return true;
}

/* Take out the image with most samples of those left. NULL: none has enough. */
static struct report_image *next_image(const struct inversion *inversion, uint64_t *samples,
				       uint64_t total)
{
	size_t best = 0;

	for (size_t i = 1; i < inversion->nr_images; i++)
		if (samples[i] > samples[best])
			best = i;
	if (!inversion->nr_images || !samples[best] ||
	    100.0 * (double)samples[best] < WORTH_FETCHING * (double)total)
		return NULL;
	samples[best] = 0;
	return inversion->images[best].image;
}

void fetch_debug_files(const struct inversion *inversion, const char *root, bool lines,
		       struct finder *finder, struct notices *notices)
{
	struct debug_server *server;
	struct op_error e = { "" };
	uint64_t *samples, total = 0;
	struct report_image *image;
	bool go_on = true;
	int err = debug_server_open(&server, &e);

	if (err) {
		if (err != -ENOENT)
			notice_add(notices, "%s", e.text);
		return;
	}
	samples = xcalloc(inversion->nr_images + 1, sizeof(*samples));
	for (size_t i = 0; i < inversion->nr_images; i++)
		total += samples[i] = count_samples(&inversion->images[i]);
	while (go_on && (image = next_image(inversion, samples, total))) {
		if (image->kind != IMAGE_FILE)
			continue;
		find_image(finder, image, notices);
		if (image->found)
			go_on = fetch_one(server, image, root, lines, notices);
	}
	free(samples);
	debug_server_close(server);
}

void fetch_debug_of_all(const struct collection *c, bool lines, struct notices *notices)
{
	const struct arrange_options how = {
		.merge = { .cpu = true, .tid = true, .tgid = true, .unit_mask = true, .lib = true,
			   .cgroup = true },
	};
	struct notices ignored = { 0 };
	struct arrangement arrangement;
	struct inversion inversion;

	if (!arrange_files(&c->files, &how, &arrangement, &ignored, NULL)) {
		invert_arrangement(&arrangement, &inversion);
		fetch_debug_files(&inversion, c->root, lines, c->finder, notices);
		inversion_free(&inversion);
		arrangement_free(&arrangement);
	}
	notices_free(&ignored);
}
