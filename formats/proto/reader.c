// SPDX-License-Identifier: GPL-2.0-or-later
/* reader.c - what all parts of a profile.proto's reader need: fields by number, strings by index */
#include "formats/proto/reader.h"

#include <errno.h>
#include <inttypes.h>

int proto_each(struct proto_reader *r, uint32_t number,
	       int (*take)(struct proto_reader *r, struct proto_field *f))
{
	struct proto_cursor c = r->file;
	struct proto_field f;
	int err;

	while ((err = proto_next(&c, &f, r->e)) > 0) {
		if (f.number != number)
			continue;
		err = take(r, &f);
		if (err)
			return err;
	}
	return err;
}

bool proto_may_miss(struct proto_reader *r)
{
	r->missed += r->options->salvage;
	return r->options->salvage;
}

int proto_text_at(struct proto_reader *r, uint64_t at, size_t offset, uint32_t *ret)
{
	*ret = 0;
	if (at >= r->nr_strings && at && proto_may_miss(r))
		return 0;
	if (at >= r->nr_strings && (at || r->nr_strings))
		return op_error_set(r->e, -EPROTO, "offset %zu: there is no string %" PRIu64
				    ", the table has %" PRIu32 " [PP-22]", offset, at,
				    r->nr_strings);
	*ret = r->nr_strings ? r->strings[at] : 0;
	return 0;
}
