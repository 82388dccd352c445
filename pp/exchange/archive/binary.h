/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary.h - the binary of an image, and its debug file, for an archive [OA-4] */
#ifndef PP_EXCHANGE_ARCHIVE_BINARY_H
#define PP_EXCHANGE_ARCHIVE_BINARY_H

#include "pp/exchange/archive/plan.h"
#include "pp/select/collect.h"

/*
 * Add them to @plan, or tell in @notices why there is nothing to add. @like_099: a debug file is
 * taken by build-id only if it is a link, else by name, as OProfile 0.9 does.
 */
void archive_add_binary(struct archive_plan *plan, struct report_image *image,
			const struct collection *c, bool like_099, struct notices *notices);

#endif
