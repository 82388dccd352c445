/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_text.h - write values as JSON, with line breaks where the caller asks for them */
#ifndef LIBUTIL_JSON_TEXT_H
#define LIBUTIL_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool has_member;	/* the current list or object has one: a comma comes next */
	int depth;
};

void json_open(struct json *j, const char *name, char bracket);	/* '{' or '['; @name may be NULL */
void json_close(struct json *j, char bracket);			/* '}' or ']' */
void json_line(struct json *j);			/* the next member starts a new line */

/* A member, or an element if @name is NULL; NULL text becomes null. */
void json_text(struct json *j, const char *name, const char *value);
void json_number(struct json *j, const char *name, uint64_t value);
void json_signed(struct json *j, const char *name, int64_t value, int64_t null);
void json_real(struct json *j, const char *name, double value);	/* infinite: null */
void json_bool(struct json *j, const char *name, bool value);
void json_address(struct json *j, const char *name, uint64_t value);	/* "0x1f" */
void json_numbers(struct json *j, const char *name, const uint64_t *values, size_t nr);

#endif
