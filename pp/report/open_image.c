/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open_image.c - read the symbols of an image, from its file or the session's snapshot */
#include "pp/report/populate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libutil/build_id.h"
#include "libutil/file.h"
#include "pp/select/sessions.h"

void populate_check_age(const struct report_image *image, const struct sample_file *file,
			const struct sample_header *header, struct notices *notices)
{
	const struct image_ids *ids = file->session->ids;
	const char *want = image->is_apart ? image->build_id
			   : ids	   ? image_ids_find(ids, image->path)
					   : NULL;
	char text[BUILD_ID_TEXT];
	struct build_id id;
	struct stat st;

	if (image->kind == IMAGE_JIT || image->kind == IMAGE_ANON || image->is_kept)
		return;		/* made with the profile */
	if (want && *want && strcmp(want, "-") && !build_id_read(image->found, &id)) {
		if (strcmp(want, build_id_text(&id, text)))
			notice_add_kind(notices, NOTICE_CHANGED,
					"'%s' is not the build that was profiled: build ID is %s, "
					"was %s; symbols may be wrong", image->found, text, want);
		return;
	}
	if (stat(image->found, &st) < 0)
		return;
	if (!header->mtime)
		notice_add_kind(notices, NOTICE_CHANGED, "'%s' may have changed since it was "
				"profiled: its time is unknown", image->found);
	else if (header->mtime != (uint64_t)st.st_mtime)
		notice_add_kind(notices, NOTICE_CHANGED,
				"'%s' is %s than when it was profiled; symbols may be wrong",
				image->found,
				header->mtime < (uint64_t)st.st_mtime ? "newer" : "older");
}

static const struct kernel_part *snapshot_part(const struct inverted_image *inverted)
{
	const struct report_session *session = inverted->session;

	if (!session || !session->has_kernel_symbols ||
	    !strcmp(inverted->image->path, "no-vmlinux"))
		return NULL;
	return kernel_symbols_part(&session->kernel,
				   kernel_image_is_absolute(inverted->image->path)
				   ? "" : inverted->image->path);
}

/* Is it an image that never has a file? */
static bool is_nowhere(const struct report_image *image)
{
	return (image->kind == IMAGE_ANON && !image->found) ||
	       (image->kind == IMAGE_KERNEL && kernel_image_is_absolute(image->path));
}

void populate_open_image(const struct inverted_image *inverted,
			 const struct populate_options *options, struct finder *finder,
			 struct binary *ret, struct notices *notices)
{
	const struct kernel_part *part = snapshot_part(inverted);
	struct report_image *image = inverted->image;
	struct binary_options how = {
		.is_kernel = image->is_kernel,
		.compat = options->compat,
		.by_address = image->kind == IMAGE_JIT,
		.merge_names = image->kind == IMAGE_JIT && !options->code,
		.keep_open = options->code,
		.no_code = image->is_kept,
		.functions = !options->merge_unnamed && image->kind != IMAGE_JIT,
		.name = path_base(image->path),
		.root = options->root,
	};
	struct op_error e = { "" };

	*ret = (struct binary){ 0 };
	if (part) {
		binary_from_snapshot(part, ret);
		return;
	}
	if (is_nowhere(image))
		return;
	find_image(finder, image, notices);
	if (image->is_ambiguous)
		return;		/* find_image() added a notice */
	if (!image->found && image_was_no_file(image->kind, image->path, image->session))
		return;
	if (!image->found)
		notice_add_kind(notices, NOTICE_NOT_FOUND, "cannot find '%s', shown without "
				"symbols%s", image->name, image->is_kernel
				? "; name a folder to search with --image-path" : "");
	else if (binary_open(image->found, &how, ret, &e))
		notice_add(notices, "cannot read symbols of '%s': %s", image->found, e.text);
}
