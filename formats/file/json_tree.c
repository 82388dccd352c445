// SPDX-License-Identifier: GPL-2.0-or-later
/* json_tree.c - jansson with a limit on its memory, and what readers ask of values */
#include "formats/file/json_tree.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the tree for one of the file [PF-7]; most have 12, lists of small numbers 24. */
#define RATIO		20
#define RATIO_OF_SMALL	26		/* as long as the tree is below FINE */
#define FINE		((size_t)40 << 20)
#define ALWAYS_FINE	4096		/* of the smallest file */

/* What the tree being read may still take; jansson has its memory from here alone. */
static _Thread_local size_t room;
static _Thread_local bool is_too_large;

static void *take(size_t size)
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

static void give_back(void *block)
{
	if (block)
		room += malloc_usable_size(block);
	free(block);
}

static void set_functions(void)
{
	json_set_alloc_funcs(take, give_back);
}

static size_t room_for(size_t size)
{
	size_t small = size < FINE ? RATIO_OF_SMALL * size : FINE;
	size_t most = size < SIZE_MAX / RATIO ? RATIO * size : SIZE_MAX;

	if (small > FINE)
		small = FINE;
	if (most > SIZE_MAX - ALWAYS_FINE)
		return SIZE_MAX;
	return (small > most ? small : most) + ALWAYS_FINE;
}

static int fault(const json_error_t *error, const char *rule, struct op_error *e)
{
	if (is_too_large)
		return op_error_set(e, -EFBIG, "all of it: its values would take more than %d "
				    "times as much memory as it has bytes [PF-7]", RATIO);
	return op_error_set(e, -EPROTO, "line %d, offset %d: no JSON: %s %s", error->line,
			    error->position, error->text, rule);
}

int json_tree_read(const unsigned char *bytes, size_t size, const char *rule, json_t **ret,
		   struct op_error *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	json_error_t error = { .line = 1 };
	json_t *tree;

	pthread_once(&once, set_functions);
	room = room_for(size);
	is_too_large = false;
	tree = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &error);
	if (!tree)
		return fault(&error, rule, e);
	if (!json_is_object(tree)) {
		json_decref(tree);
		return op_error_set(e, -EPROTO, "line 1, offset 0: it is a list and no object %s",
				    rule);
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
