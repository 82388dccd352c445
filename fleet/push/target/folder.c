// SPDX-License-Identifier: GPL-2.0-or-later
/* folder.c - files of profile.proto in a folder, one for each slice and event */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/push/part.h"
#include "fleet/push/target/kinds.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

static int encode(const struct push_target *t, const struct push_batch *b,
		  struct push_sink *sink, struct op_error *e)
{
	int err = 0;

	(void)t;
	for (uint32_t i = 0; !err && i < b->profile->nr_events; i++) {
		struct push_part part = { .size = 0 };
		struct profile *p = push_part_profile(b, i, PUSH_ALL_SERIES, false, &part.samples);
		char *event;

		if (!p)
			continue;
		event = push_event_name(b->profile, i);
		part.name = xasprintf("%s-%u-%s.pb.gz", b->token, i, event);
		err = push_part_proto(p, &part.bytes, &part.size, e);
		if (!err)
			err = sink->put(sink, &part);
		free(event);
		free(part.name);
		free(part.bytes);
		profile_free(p);
	}
	return err;
}

static void send(const struct push_target *t, const struct push_part *part,
		 struct push_answer *ret)
{
	char *path = path_join(t->place, part->name);
	int err = strchr(part->name, '/') || *part->name == '.'
		  ? -EINVAL : file_write_atomic(path, part->bytes, part->size, 0640);

	ret->verdict = err ? PUSH_AGAIN : PUSH_SENT;
	if (err)
		snprintf(ret->text, sizeof(ret->text), "cannot write '%.250s': %s", path,
			 strerror(-err));
	ret->wire_bytes = part->size;
	free(path);
}

const struct push_kind push_folder = {
	.name = "folder", .is_local = true, .encode = encode, .send = send,
};
