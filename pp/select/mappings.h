/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h - processes' anonymous memory: whose it is, and which image names its code
 *
 * Its samples are filed under the application with any separation, but a stack has an application
 * only if stacks are separated by it. So the names of sample files, selected or not, are the way
 * from a frame in such memory to the application and to an object of code made at run time [FL-5].
 */
#ifndef PP_SELECT_MAPPINGS_H
#define PP_SELECT_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>
#include "libdb/session/name.h"
#include "libutil/table.h"
#include "pp/select/images.h"

struct anon_mapping {
	const struct report_session *session;
	struct image_name name, app;	/* their paths are owned */
	struct report_image *image;	/* that names its code, or NULL */
};

struct anon_mappings {
	struct anon_mapping *all;
	size_t nr, room;
	struct hash_table by_name;	/* and session */
	struct hash_table by_process;	/* and session: those with an image */
};

/*
 * The mapping @name of a sample file of @app, added without an image if it is new. Valid until the
 * next call.
 */
struct anon_mapping *anon_mappings_get(struct anon_mappings *m,
				       const struct report_session *session,
				       const struct image_name *name, const struct image_name *app);
void anon_mapping_set_image(struct anon_mappings *m, struct anon_mapping *mapping,
			    struct report_image *image);

/* The mapping @name, or NULL: it has no sample file. */
const struct anon_mapping *anon_mappings_find(const struct anon_mappings *m,
					      const struct report_session *session,
					      const struct image_name *name);

/*
 * The image of @name's code, or NULL. A mapping that has only callers may have no sample file: then
 * that of another mapping of the process.
 */
struct report_image *anon_mappings_image(const struct anon_mappings *m,
					 const struct report_session *session,
					 const struct image_name *name);
void anon_mappings_free(struct anon_mappings *m);

#endif
