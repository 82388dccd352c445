/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.h - a flame graph as a self-contained SVG: opreport --flamegraph */
#ifndef PP_PICTURE_SVG_H
#define PP_PICTURE_SVG_H

#include "pp/picture/json.h"

#define PICTURE_SVG_NODES	8000	/* frames, at most */
#define PICTURE_SVG_PIXELS	0.25	/* width of a frame, at least */
#define PICTURE_SVG_WIDTH	1200

/* The class that is drawn: the first one with samples. */
size_t picture_svg_class(const struct picture *p);

/* The SVG is readable without its script, which adds search and zoom. Names are cut to fit. */
void picture_svg(const struct picture_report *report, FILE *out);

#endif
