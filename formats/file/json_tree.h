/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_tree.h - a file of JSON as jansson's tree, which is never much larger than the file is worth
 *
 * jansson reads the form strictly: UTF-8, no key twice, at most 2048 levels. What is wrong with the
 * form is told by line and offset, what is wrong with a value by its path [PF-9].
 */
#ifndef FORMATS_FILE_JSON_TREE_H
#define FORMATS_FILE_JSON_TREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

/*
 * The object that @bytes are, to be json_decref()ed. -EPROTO: they are none, or not in UTF-8;
 * -EFBIG: the tree would take more memory than [PF-7] lets it. @rule: "[SP-5]", for the former.
 */
int json_tree_read(const unsigned char *bytes, size_t size, const char *rule, json_t **ret,
		   struct op_error *e);

/* Is @key, with its quotes, among @bytes? A guess at what is in a file that begins with '{'. */
bool json_has_key(const unsigned char *bytes, size_t size, const char *key);

/* False: @value is no whole number below @limit. */
bool json_index(const json_t *value, size_t limit, uint32_t *ret);

/*
 * @value times @scale as a whole number. False: it is no number, or beyond 63 bits. *whole is made
 * false if it had to be rounded.
 */
bool json_amount(const json_t *value, uint32_t scale, int64_t *ret, bool *whole);

/* The text of a member, or "" if it is none. */
const char *json_member_text(const json_t *object, const char *name);

/* A number of a line, 0 if it is none. */
uint32_t json_line_number(const json_t *value);

#endif
