/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml_text.h - tags and values as XML; the document is well-formed for any name */
#ifndef PP_REPORT_FORMAT_XML_TEXT_H
#define PP_REPORT_FORMAT_XML_TEXT_H

#include <stdint.h>
#include <stdio.h>

void xml_open(FILE *out, const char *tag);	/* "<tag " */
void xml_text(FILE *out, const char *name, const char *value);	/* " name="value"" */
void xml_content(FILE *out, const char *text);			/* between tags */
void xml_number(FILE *out, const char *name, uint64_t value);
void xml_address(FILE *out, const char *name, uint64_t value, int digits);	/* hex */

#endif
