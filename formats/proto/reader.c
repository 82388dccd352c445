// SPDX-License-Identifier: GPL-2.0-or-later
/* reader.c - helpers of all passes over a profile.proto: fields by number, strings by index */
#include "formats/proto/reader.h"

#include <errno.h>
#include <inttypes.h>

int proto_each(struct proto_reader *r, uint32_t number,
	       int (*read)(struct proto_reader *r, struct proto_field *f))
{
	struct proto_cursor c = r->file;
	struct proto_field f;
	int err;

	while ((err = proto_next(&c, &f, r->e)) > 0) {
		if (f.number != number)
			continue;
		err = read(r, &f);
		if (err)
			return err;
	}
	return err;
}

bool proto_tolerate_missing(struct proto_reader *r)
{
	r->nr_missing += r->options->salvage;
	return r->options->salvage;
}

/* [PP-22] */
int proto_text_at(struct proto_reader *r, uint64_t at, size_t offset, uint32_t *ret)
{
	*ret = 0;
	if (at >= r->nr_strings && at && proto_tolerate_missing(r))
		return 0;
	if (at >= r->nr_strings && (at || r->nr_strings))
		return op_error_set(r->e, -EPROTO, "offset %zu: string index %" PRIu64
				    " is out of range: the table has %" PRIu32, offset, at,
				    r->nr_strings);
	*ret = r->nr_strings ? r->strings[at] : 0;
	return 0;
}
