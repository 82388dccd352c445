/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - the files of pp/picture/page/, embedded in the program */
#ifndef PP_PICTURE_PARTS_H
#define PP_PICTURE_PARTS_H

/* Texts that end in a NUL. */
extern const char picture_page_html[], picture_page_css[], picture_page_js[];
extern const char picture_graph_css[], picture_graph_js[];

#endif
