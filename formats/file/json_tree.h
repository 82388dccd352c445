/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_tree.h - parse a JSON file with jansson, with a limit on the memory of the tree
 *
 * jansson parses strictly: UTF-8, no duplicate keys, at most 2048 levels. Syntax errors have a line
 * and an offset, errors in a value have the path of the value [PF-9].
 */
#ifndef FORMATS_FILE_JSON_TREE_H
#define FORMATS_FILE_JSON_TREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

/*
 * Parse @bytes as a JSON object, which the caller frees with json_decref(). -EPROTO: not an object,
 * or not UTF-8. -EFBIG: the tree would exceed the memory that [PF-7] allows.
 */
int json_tree_read(const unsigned char *bytes, size_t size, json_t **ret, struct op_error *e);

/* For detection: does the file begin with '{' and contain @key (with its quotes) somewhere? */
bool json_has_key(const unsigned char *bytes, size_t size, const char *key);

/* False: @value is not a whole number below @limit. */
bool json_index(const json_t *value, size_t limit, uint32_t *ret);

/*
 * @value times @scale as a whole number. False: @value is not a number, or the product exceeds 63
 * bits. Sets *whole to false if the product had to be rounded.
 */
bool json_amount(const json_t *value, uint32_t scale, int64_t *ret, bool *whole);

/* The string that is the member @name, or "" if it is missing or not a string. */
const char *json_member_text(const json_t *object, const char *name);

/* A line number, or 0 if @value is not one. */
uint32_t json_line_number(const json_t *value);

#endif
