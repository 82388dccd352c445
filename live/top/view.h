/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - the rows of a view, with names, from the samples of the running session
 *
 * What was sampled before optop began is not shown. Rules: doc/optop.md [OT-n].
 */
#ifndef LIVE_TOP_VIEW_H
#define LIVE_TOP_VIEW_H

#include "live/top/model.h"
#include "live/top/source.h"
#include "pp/binary/demangle_name.h"

struct top;

/* @place must live as long. */
struct top *top_new(const struct top_place *place, enum demangle_style demangle,
		    struct top_model *model);
void top_free(struct top *t);

/*
 * Read the samples so far, @seconds after the last time, and make the rows. Trouble becomes the
 * model's message. Returns the CPU time that reading took, ns.
 */
uint64_t top_refresh(struct top *t, double seconds);

/* What follows from a key, besides other lines. */
void top_apply(struct top *t, enum top_change change);

#endif
