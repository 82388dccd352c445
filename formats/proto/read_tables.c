// SPDX-License-Identifier: GPL-2.0-or-later
/* read_tables.c - read the mappings, functions and locations of a profile.proto */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/profile/named_images.h"
#include "formats/proto/reader.h"
#include "formats/proto/wire.h"
#include "libutil/xalloc.h"

#define KERNEL_HALF	(UINT64_C(1) << 63)	/* addresses above are the kernel's */

/* Read the fields 1 to @nr of a message, which are numbers; missing ones are 0. */
static int read_numbers(struct proto_reader *r, const struct proto_field *f, const char *name,
			uint64_t *numbers, uint32_t nr)
{
	struct proto_cursor c = f->inside;
	struct proto_field inner;
	int err = proto_expect(f, PROTO_BYTES, name, r->e);

	memset(numbers, 0, (nr + 1) * sizeof(*numbers));
	while (!err && (err = proto_next(&c, &inner, r->e)) > 0) {
		err = 0;
		if (inner.number > nr)
			continue;
		err = proto_expect(&inner, PROTO_VARINT, name, r->e);
		numbers[inner.number] = inner.value;
	}
	return err;
}

/* The file has names, but not kinds. [PP-8] */
static enum profile_image_kind kind_of(const char *path, uint64_t start, bool has_functions)
{
	if (!strncmp(path, PROTO_KERNEL_PREFIX, strlen(PROTO_KERNEL_PREFIX)) ||
	    !strncmp(path, "[guest.kernel", 13))
		return PROFILE_KERNEL;
	if (is_module_path(path) || (path[0] == '[' && start >= KERNEL_HALF &&
				     strcmp(path, "[vsyscall]")))
		return PROFILE_KERNEL_MODULE;
	if (path[0] == '[')
		return PROFILE_ANON;
	if (path[0] && strncmp(path, "//anon", 6))
		return PROFILE_FILE;
	return has_functions ? PROFILE_JIT : PROFILE_ANON;
}

/* The name of the kernel may be followed by the symbol at its start. [PP-7] */
static uint32_t without_symbol(struct profile *p, uint32_t path)
{
	return strcmp(profile_text(p, path), PROTO_KERNEL_NAME) ? path
		: profile_string(p, PROTO_KERNEL_PREFIX);
}

static int read_mapping(struct proto_reader *r, struct proto_field *f)
{
	uint64_t n[MAPPING_HAS_INLINE_FRAMES + 1];
	struct profile_image image = { 0 };
	int err = read_numbers(r, f, "mapping", n, MAPPING_HAS_INLINE_FRAMES);

	if (!err)
		err = proto_text_at(r, n[MAPPING_FILENAME], f->offset, &image.path);
	if (!err)
		err = proto_text_at(r, n[MAPPING_BUILD_ID], f->offset, &image.build_id);
	if (err)
		return err;
	image.start = n[MAPPING_START];
	image.limit = n[MAPPING_LIMIT];
	image.offset = n[MAPPING_OFFSET];
	image.path = without_symbol(r->p, image.path);
	image.kind = kind_of(profile_text(r->p, image.path), image.start,
			     n[MAPPING_HAS_FUNCTIONS]);
	return proto_ids_add(&r->mappings, n[MAPPING_ID], profile_add_image(r->p, &image),
			     f->offset, r->e);
}

int proto_read_mappings(struct proto_reader *r)
{
	int err = proto_each(r, TOP_MAPPING, read_mapping);

	if (r->p->nr_images)
		r->p->main_image = 0;
	return err ? err : proto_ids_sort(&r->mappings, r->e);
}

/* A profile has line numbers of 32 bits. [PP-24] */
static int convert_line(struct proto_reader *r, uint64_t number, size_t offset, uint32_t *ret)
{
	*ret = number <= UINT32_MAX ? (uint32_t)number : 0;
	if (*ret == number)
		return 0;
	return format_warn_or_fail(r->options, r->e, "offset %zu: invalid line number %" PRId64
				   ", treated as unknown", offset, (int64_t)number);
}

static int read_function(struct proto_reader *r, struct proto_field *f)
{
	uint64_t n[FUNCTION_START_LINE + 1];
	struct profile_function function = { 0 };
	int err = read_numbers(r, f, "function", n, FUNCTION_START_LINE);

	if (!err)
		err = proto_text_at(r, n[FUNCTION_NAME], f->offset, &function.name);
	if (!err)
		err = proto_text_at(r, n[FUNCTION_SYSTEM_NAME], f->offset, &function.system_name);
	if (!err)
		err = proto_text_at(r, n[FUNCTION_FILENAME], f->offset, &function.file);
	if (!err)
		err = convert_line(r, n[FUNCTION_START_LINE], f->offset, &function.start_line);
	if (err)
		return err;
	return proto_ids_add(&r->functions, n[FUNCTION_ID], profile_function(r->p, &function),
			     f->offset, r->e);
}

int proto_read_functions(struct proto_reader *r)
{
	int err = proto_each(r, TOP_FUNCTION, read_function);

	return err ? err : proto_ids_sort(&r->functions, r->e);
}

/* [PP-21] */
static int read_line(struct proto_reader *r, const struct proto_field *f, uint32_t nr)
{
	uint64_t n[LINE_LINE + 1];
	struct profile_line line;
	int err = read_numbers(r, f, "line", n, LINE_LINE);

	if (err)
		return err;
	line.function = proto_ids_find(&r->functions, n[LINE_FUNCTION_ID]);
	if (line.function == PROTO_NOT_FOUND && proto_tolerate_missing(r))
		line.function = profile_function(r->p, &(struct profile_function){ 0 });
	if (line.function == PROTO_NOT_FOUND)
		return op_error_set(r->e, -EPROTO, "offset %zu: unknown function %" PRIu64
				    " in a line", f->offset, n[LINE_FUNCTION_ID]);
	err = convert_line(r, n[LINE_LINE], f->offset, &line.line);
	if (err)
		return err;
	xgrow(r->lines, nr, r->room_lines);
	r->lines[nr] = line;
	return 0;
}

struct location {
	uint64_t id, mapping, address;
	uint32_t nr_lines;
};

static int read_location_field(struct proto_reader *r, const struct proto_field *f,
			       struct location *l)
{
	int err;

	switch (f->number) {
	case LOCATION_ID:
		l->id = f->value;
		break;
	case LOCATION_MAPPING_ID:
		l->mapping = f->value;
		break;
	case LOCATION_ADDRESS:
		l->address = f->value;
		break;
	case LOCATION_LINE:
		err = read_line(r, f, l->nr_lines);
		l->nr_lines++;
		return err;
	default:
		return 0;
	}
	return proto_expect(f, PROTO_VARINT, "location", r->e);
}

/* [PP-21] */
static int read_location(struct proto_reader *r, struct proto_field *f)
{
	struct proto_cursor c = f->inside;
	struct location l = { 0, 0, 0, 0 };
	struct proto_field inner;
	uint32_t image = PROFILE_NONE;
	int err = proto_expect(f, PROTO_BYTES, "location", r->e);

	while (!err && (err = proto_next(&c, &inner, r->e)) > 0)
		err = read_location_field(r, &inner, &l);
	if (err)
		return err;
	if (l.mapping) {
		image = proto_ids_find(&r->mappings, l.mapping);
		if (image == PROTO_NOT_FOUND && !proto_tolerate_missing(r))
			return op_error_set(r->e, -EPROTO, "offset %zu: unknown mapping %" PRIu64
					    " in location %" PRIu64, f->offset, l.mapping, l.id);
	}
	return proto_ids_add(&r->locations, l.id,
			     profile_place(r->p, image, l.address, r->lines, l.nr_lines),
			     f->offset, r->e);
}

int proto_read_locations(struct proto_reader *r)
{
	int err = proto_each(r, TOP_LOCATION, read_location);

	return err ? err : proto_ids_sort(&r->locations, r->e);
}
