/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h - the binary images that sample files name, each once
 *
 * An image's identity is what the sample file's name says: kind and path, and for anonymous
 * memory the process and the range; and the build, where several of one path are kept apart.
 * Where the file is today is find_image.h's business.
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
	char *path;		/* as in the name: "/bin/bash", "ext4", "[heap]"; the .jo file */
	char *name;		/* for people, in full: "/bin/bash", "/ext4",
				 * "[heap] (tgid:12 range:0x1000-0x2000)", "[vdso]" */
	uint64_t anon_start, anon_end;
	char *build_id;		/* which build was profiled, hex; or NULL: not known */
	bool is_apart;		/* that build is kept apart from another one of that path */
	bool is_kernel;		/* the kernel or a module, by kind or by a sample file's header */
	const struct report_session *session;	/* the first that has samples of it */

	bool looked_for;	/* find_image() was here */
	char *found;		/* the file it is in today, or NULL */
	bool is_ambiguous;	/* there is more than one such file [FI-4] */
	bool found_by_search;	/* under another name: that one is shown [FI-2] */
};

struct image_set {
	struct report_image **images;
	size_t nr, room;
	struct hash_table by_name;
};

/*
 * The image of that name, added if it is new; with @apart_build, not NULL, the one whose samples
 * were kept apart for that build. Lives until image_set_free().
 */
struct report_image *image_set_get(struct image_set *set, const struct image_name *name,
				   const char *apart_build, const struct report_session *session);

/*
 * The image of code that was made at run time, if its object @path is there; else NULL. All
 * mappings of the process that the object is of are this one image.
 */
struct report_image *image_set_get_jit(struct image_set *set, const char *path, uint32_t tgid,
				       const struct report_session *session);

/*
 * The kernel's code in every process: where the session has a copy of it, all processes' mappings
 * are that one image [FL-6]. Processes of 32 bits have another one. Else NULL.
 */
struct report_image *image_set_get_vdso(struct image_set *set, const struct image_name *name,
					const struct report_session *session);
void image_set_free(struct image_set *set);

/* What reports print: found name or name, in full or its base name. */
const char *image_shown_name(const struct report_image *image, bool long_names);

void image_spec_names(const struct report_image *image, struct spec_image *ret);

#endif
