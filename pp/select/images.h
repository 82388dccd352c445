/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h - the binary images that sample files name, each once
 *
 * What identifies an image is in the sample file's name: kind and path, for anonymous memory the
 * process and the range; and the build, if several of one path are kept apart. find_image.h finds
 * its file.
 */
#ifndef PP_SELECT_IMAGES_H
#define PP_SELECT_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/session/name.h"
#include "libutil/table.h"
#include "pp/select/spec.h"

struct report_session;

struct report_image {
	enum image_kind kind;
	char *path;		/* as in the name: "/bin/bash", "ext4", "[heap]"; or a .jo file */
	char *name;		/* as shown, in full: "/bin/bash", "/ext4", "[vdso]",
				 * "[heap] (tgid:12 range:0x1000-0x2000)",
				 * "/bin/java [JIT pid 12]" */
	char *jit_name;		/* of a .jo file, the same in each run: "java [JIT]"; else NULL */
	uint64_t anon_start, anon_end;
	char *build_id;		/* of the profiled build, hex; or NULL: unknown */
	bool is_apart;		/* it is kept apart from other builds of that path */
	bool is_kernel;		/* the kernel or a module, by kind or by a sample file's header */
	const struct report_session *session;	/* the first with samples of it */

	bool looked_for;	/* by find_image() */
	char *found;		/* its file, or NULL */
	bool is_kept;		/* that is what the history kept: symbols, and no code */
	bool is_ambiguous;	/* several files match [FI-4] */
	bool found_by_search;	/* under another name, which is shown [FI-2] */
};

struct image_set {
	struct report_image **images;
	size_t nr, room;
	struct hash_table by_name;
	bool compat;		/* names as the original shows them */
};

/*
 * The image of that name, added if it is new. With @apart_build (may be NULL) the one whose samples
 * are kept apart for that build. Valid until image_set_free().
 */
struct report_image *image_set_get(struct image_set *set, const struct image_name *name,
				   const char *apart_build, const struct report_session *session);

/*
 * The image of code made at run time by process @tgid of @app (a path; NULL: it is shown as its
 * object, like in the original) if the object @path exists, else NULL. All mappings of the process
 * are this one image.
 */
struct report_image *image_set_get_jit(struct image_set *set, const char *path, const char *app,
				       uint32_t tgid, const struct report_session *session);

/*
 * The vdso: if the session has a copy, the mappings of all 64-bit processes are that one image
 * [FL-6]; else NULL.
 */
struct report_image *image_set_get_vdso(struct image_set *set, const struct image_name *name,
					const struct report_session *session);
void image_set_free(struct image_set *set);

/* Whether the image of an imported profile was no file: "[heap]" became "/[heap]" there [IM-2]. */
bool image_was_no_file(enum image_kind kind, const char *path,
		       const struct report_session *session);

/* The name in reports: the found file or the name, in full or its last part. */
const char *image_shown_name(const struct report_image *image, bool long_names);

/* The part of the name that is the same in another run: no folder, process or range. */
const char *image_common_name(const struct report_image *image);

void image_spec_names(const struct report_image *image, struct spec_image *ret);

#endif
