/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c - embed the files with the assembler; build.mk has the dependency on them */
#include "pp/picture/parts.h"

#define PART(name, file)                                                                       \
	__asm__(".pushsection .rodata\n"                                                       \
		".globl " #name "\n"                                                           \
		#name ": .incbin \"pp/picture/page/" file "\"\n"                               \
		".byte 0\n"                                                                    \
		".popsection\n")

PART(picture_page_html, "page.html");
PART(picture_page_css, "page.css");
PART(picture_page_js, "page.js");
PART(picture_graph_css, "graph.css");
PART(picture_graph_js, "graph.js");
