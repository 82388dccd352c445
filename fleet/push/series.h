/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - the labels of each sample of a slice: of the host, its service, container and pod */
#ifndef FLEET_PUSH_SERIES_H
#define FLEET_PUSH_SERIES_H

#include <stdint.h>
#include "fleet/push/rules.h"
#include "formats/profile/profile.h"
#include "libdb/session/session.h"

/* Names of labels that targets know. */
#define LABEL_HOST	"host"
#define LABEL_INSTANCE	"instance"	/* of the operating system: a hash of its machine ID */
#define LABEL_BOOT	"boot"
#define LABEL_KERNEL	"kernel"
#define LABEL_SERVICE	"service"	/* the unit, or the name of the task or program */
#define LABEL_UNIT	"unit"
#define LABEL_CONTAINER	"container"
#define LABEL_POD	"pod"		/* its UID */
#define LABEL_POD_NAME	"pod_name"
#define LABEL_NAMESPACE	"namespace"
#define LABEL_VERSION	"version"
#define LABEL_IMAGE	"image"		/* of the container */

#define SERVICE_OTHER	"other"		/* of those that --max-series leaves out */

struct push_series {
	struct push_labels *list;
	uint32_t nr;
	uint32_t *of;			/* of each sample of the profile: an index of the list */
};

/* @info: of the samples' session; @begin_ns: of its segment. */
void push_series_make(const struct push_rules *rules, const struct profile *p,
		      const struct session_info *info, uint64_t begin_ns,
		      struct push_series *ret);
void push_series_free(struct push_series *s);

/* Hash or drop names and paths of @p, to which nothing can be added then. */
void push_privacy_apply(const struct push_rules *rules, struct profile *p);

/* The first 32 hex digits of the SHA-256 of @salt, which may be NULL, and @text. */
#define PUSH_DIGEST	33
void push_digest(const char *salt, const char *text, char ret[PUSH_DIGEST]);

#endif
