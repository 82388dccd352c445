/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c - embed the files with the assembler; build.mk has the dependency on them */
#include "pp/picture/parts.h"

#define INCLUDE(file)	".incbin \"pp/picture/page/" file "\"\n"
#define PART(name, bytes)                                                                      \
	__asm__(".pushsection .rodata\n"                                                       \
		".globl " #name "\n"                                                           \
		#name ":\n" bytes                                                              \
		".byte 0\n"                                                                    \
		".popsection\n")

PART(picture_page_html, INCLUDE("page.html"));
PART(picture_page_css, INCLUDE("page.css"));
PART(picture_page_js, INCLUDE("names.js") INCLUDE("page.js"));
PART(picture_graph_css, INCLUDE("graph.css"));
PART(picture_graph_js, INCLUDE("names.js") INCLUDE("graph.js"));
