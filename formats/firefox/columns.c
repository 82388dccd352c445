// SPDX-License-Identifier: GPL-2.0-or-later
/* columns.c - follow indices from stack to frame to function to names [FF-8] */
#include "formats/firefox/columns.h"

#include <errno.h>
#include <stdlib.h>

#include "libutil/xalloc.h"

static int fail(const struct firefox_columns *c, const char *table, uint32_t row, const char *what)
{
	return op_error_set(c->e, -EPROTO, "threads[%zu].%s[%u]: %s", c->thread, table, row, what);
}

static const json_t *column(const struct firefox_columns *c, const char *table, const char *name)
{
	return json_object_get(json_object_get(c->owner, table), name);
}

/* The string that @row refers to; "" if it is null or missing. */
static int get_text(const struct firefox_columns *c, const json_t *numbers, const char *name,
		   uint32_t row, uint32_t *ret)
{
	const json_t *number = json_array_get(numbers, row), *text;
	uint32_t at;

	*ret = 0;
	if (!number || json_is_null(number))
		return 0;
	if (!json_index(number, json_array_size(c->strings), &at))
		return fail(c, name, row, "unknown string");
	text = json_array_get(c->strings, at);
	if (!json_is_string(text))
		return fail(c, "stringArray", at, "expected a string");
	*ret = profile_string(c->p, json_string_value(text));
	return 0;
}

/* -1 means no resource. */
static int get_image(struct firefox_columns *c, uint32_t function, uint32_t *ret)
{
	const json_t *number = json_array_get(c->func_resource, function);
	uint32_t resource, path;
	int err;

	*ret = PROFILE_NONE;
	if (!number || json_is_null(number) || json_integer_value(number) == -1)
		return 0;
	if (!json_index(number, json_array_size(c->resource_name), &resource))
		return fail(c, "funcTable.resource", function, "unknown resource");
	err = get_text(c, c->resource_name, "resourceTable.name", resource, &path);
	if (!err)
		*ret = named_images_find(&c->images, c->p, path);
	return err;
}

static int add_place(struct firefox_columns *c, uint32_t frame, uint32_t *ret)
{
	const json_t *address = json_array_get(c->frame_address, frame);
	struct profile_function f = { 0 };
	struct profile_line line;
	uint32_t function, image = PROFILE_NONE;
	int64_t at = json_is_integer(address) ? json_integer_value(address) : -1;
	int err;

	if (!json_index(json_array_get(c->frame_func, frame), json_array_size(c->func_name),
			&function))
		return fail(c, "frameTable.func", frame, "unknown function");
	err = get_text(c, c->func_name, "funcTable.name", function, &f.name);
	if (!err)
		err = get_text(c, c->func_file, "funcTable.fileName", function, &f.file);
	if (!err)
		err = get_image(c, function, &image);
	if (err)
		return err;
	f.system_name = f.name;
	f.start_line = json_line_number(json_array_get(c->func_line, function));
	line.function = profile_function(c->p, &f);
	line.line = json_line_number(json_array_get(c->frame_line, frame));
	*ret = profile_place(c->p, image, at < 0 ? 0 : (uint64_t)at, &line, 1);
	return 0;
}

/* A stack refers only to stacks before it. */
static int read_stack(struct firefox_columns *c, uint32_t stack)
{
	const json_t *prefix = json_array_get(c->stack_prefix, stack);
	uint32_t frame, before, place = 0, parent = PROFILE_NONE, depth = 1;
	int err;

	if (!json_index(json_array_get(c->stack_frame, stack), json_array_size(c->frame_func),
			&frame))
		return fail(c, "stackTable.frame", stack, "unknown frame");
	if (prefix && !json_is_null(prefix)) {
		if (!json_index(prefix, stack, &before))
			return fail(c, "stackTable.prefix", stack,
				    "expected a stack before this one");
		parent = c->nodes[before];
		depth = c->depths[before] + 1;
	}
	if (depth > PROFILE_FRAMES_MAX)
		return fail(c, "stackTable", stack, "more than 65536 frames");
	err = add_place(c, frame, &place);
	if (err)
		return err;
	c->nodes[stack] = profile_node(c->p, parent, place);
	c->depths[stack] = depth;
	return 0;
}

static void find_columns(struct firefox_columns *c, const json_t *shared)
{
	c->stack_frame = column(c, "stackTable", "frame");
	c->stack_prefix = column(c, "stackTable", "prefix");
	c->frame_func = column(c, "frameTable", "func");
	c->frame_line = column(c, "frameTable", "line");
	c->frame_address = column(c, "frameTable", "address");
	c->func_name = column(c, "funcTable", "name");
	c->func_file = column(c, "funcTable", "fileName");
	c->func_line = column(c, "funcTable", "lineNumber");
	c->func_resource = column(c, "funcTable", "resource");
	c->resource_name = column(c, "resourceTable", "name");
	c->strings = json_object_get(c->owner, "stringArray");
	if (!c->strings)
		c->strings = json_object_get(shared, "stringArray");
}

int firefox_columns_read(struct firefox_columns *c, const json_t *thread, const json_t *shared,
			 size_t at)
{
	const json_t *owner = json_object_get(thread, "stackTable") ? thread : shared;
	uint32_t nr;
	int err;

	if (owner && owner == c->owner)
		return 0;
	c->owner = owner;
	c->thread = at;
	c->nr_stacks = 0;
	find_columns(c, shared);
	if (!json_is_array(c->stack_frame))
		return op_error_set(c->e, -EPROTO, "threads[%zu].stackTable.frame: missing column",
				    at);
	nr = (uint32_t)json_array_size(c->stack_frame);
	if (nr > c->room) {
		c->nodes = xrealloc_array(c->nodes, nr, sizeof(*c->nodes));
		c->depths = xrealloc_array(c->depths, nr, sizeof(*c->depths));
		c->room = nr;
	}
	for (; c->nr_stacks < nr; c->nr_stacks++) {
		err = read_stack(c, c->nr_stacks);
		if (err)
			return err;
	}
	return 0;
}

void firefox_columns_free(struct firefox_columns *c)
{
	named_images_free(&c->images);
	free(c->nodes);
	free(c->depths);
}
