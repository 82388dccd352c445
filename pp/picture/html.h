/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.h - write a picture as a self-contained page: opreport --html */
#ifndef PP_PICTURE_HTML_H
#define PP_PICTURE_HTML_H

#include "pp/picture/json.h"

/* The page's policy allows only its own script and style, and no requests. */
void picture_html(const struct picture_report *report, FILE *out);

#endif
