// SPDX-License-Identifier: GPL-2.0-or-later
/* json_tree.c - jansson with a limit on its memory, and helpers for values */
#include "formats/file/json_tree.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the tree per byte of the file [PF-7]; 12 are usual, lists of small numbers have 24. */
#define RATIO		20
#define RATIO_OF_SMALL	26		/* while the tree is smaller than SMALL_TREE */
#define SMALL_TREE	((size_t)40 << 20)
#define ALWAYS_ALLOWED	4096		/* for the smallest files */

/* Bytes that the tree may still take: all memory of jansson is allocated here. */
static _Thread_local size_t room;
static _Thread_local bool is_too_large;

static void *allocate(size_t size)
{
	void *block = size > room ? NULL : malloc(size);

	if (block) {
		size_t taken = malloc_usable_size(block);

		room -= taken < room ? taken : room;
	} else {
		is_too_large = true;
	}
	return block;
}

static void release(void *block)
{
	if (block)
		room += malloc_usable_size(block);
	free(block);
}

static void set_functions(void)
{
	json_set_alloc_funcs(allocate, release);
}

static size_t room_for(size_t size)
{
	size_t small = size < SMALL_TREE ? RATIO_OF_SMALL * size : SMALL_TREE;
	size_t most = size < SIZE_MAX / RATIO ? RATIO * size : SIZE_MAX;

	if (small > SMALL_TREE)
		small = SMALL_TREE;
	if (most > SIZE_MAX - ALWAYS_ALLOWED)
		return SIZE_MAX;
	return (small > most ? small : most) + ALWAYS_ALLOWED;
}

/* [PF-7] [PF-9] */
static int set_error(const json_error_t *error, struct op_error *e)
{
	if (is_too_large)
		return op_error_set(e, -EFBIG, "its values would take more than %d times the "
				    "file's size in memory", RATIO);
	return op_error_set(e, -EPROTO, "line %d: invalid JSON at offset %d: %s", error->line,
			    error->position, error->text);
}

int json_tree_read(const unsigned char *bytes, size_t size, json_t **ret, struct op_error *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	json_error_t error = { .line = 1 };
	json_t *tree;

	pthread_once(&once, set_functions);
	room = room_for(size);
	is_too_large = false;
	tree = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &error);
	if (!tree)
		return set_error(&error, e);
	if (!json_is_object(tree)) {
		json_decref(tree);
		return op_error_set(e, -EPROTO, "line 1: expected an object, got a list");
	}
	*ret = tree;
	return 0;
}

bool json_has_key(const unsigned char *bytes, size_t size, const char *key)
{
	size_t start = 0;

	while (start < size && strchr(" \t\r\n", bytes[start]))
		start++;
	return start < size && bytes[start] == '{' && memmem(bytes, size, key, strlen(key));
}

bool json_index(const json_t *value, size_t limit, uint32_t *ret)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || (uint64_t)n >= limit || n >= UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

bool json_amount(const json_t *value, uint32_t scale, int64_t *ret, bool *whole)
{
	double real = json_number_value(value) * scale;

	if (json_is_integer(value))
		return !__builtin_mul_overflow(json_integer_value(value), scale, ret);
	if (!json_is_real(value) || fabs(real) >= 0x1p63)
		return false;
	*ret = (int64_t)round(real);
	*whole = *whole && (double)*ret == real;
	return true;
}

const char *json_member_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

uint32_t json_line_number(const json_t *value)
{
	uint32_t line = 0;

	return json_index(value, UINT32_MAX, &line) ? line : 0;
}
