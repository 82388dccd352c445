/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.h - a picture as a page that needs nothing else: opreport --html */
#ifndef PP_PICTURE_HTML_H
#define PP_PICTURE_HTML_H

#include "pp/picture/json.h"

/* The page's policy lets no other script or style run than its own, and nothing be fetched. */
void picture_html(const struct picture_report *report, FILE *out);

#endif
