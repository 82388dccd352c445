// SPDX-License-Identifier: GPL-2.0-or-later
/* stream.c - a header with lengths, then the bytes */
#include "fleet/push/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

enum what { PART = 1, END };

struct header {
	uint32_t what;
	int32_t err;			/* END */
	uint64_t name, size, samples;	/* name: length without NUL; of END the reason */
	uint64_t ask;			/* length without NUL */
};

int push_stream_put(int fd, const struct push_part *part)
{
	const struct header h = { .what = PART, .name = strlen(part->name), .size = part->size,
				  .samples = part->samples,
				  .ask = part->ask ? strlen(part->ask) : 0 };
	int err;

	if (h.name > PUSH_NAME_MAX || h.ask > PUSH_NAME_MAX || h.size > PUSH_PART_MAX)
		return -EFBIG;
	err = file_write_fd(fd, &h, sizeof(h));
	if (!err)
		err = file_write_fd(fd, part->name, h.name);
	if (!err)
		err = file_write_fd(fd, part->ask, h.ask);
	return err ? err : file_write_fd(fd, part->bytes, part->size);
}

int push_stream_end(int fd, int err, const char *why)
{
	const struct header h = { .what = END, .err = err, .name = strlen(why) };
	int failed = file_write_fd(fd, &h, sizeof(h));

	return failed ? failed : file_write_fd(fd, why, h.name);
}

/* NULs and control characters must not reach a file name, a URL or the log. */
static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 127)
			return false;
	return true;
}

int push_stream_next(int fd, struct push_part *ret, struct op_error *e)
{
	struct push_part p = { .size = 0 };
	struct header h;

	if (file_read_fd(fd, &h, sizeof(h)) || (h.what != PART && h.what != END) ||
	    h.name > PUSH_NAME_MAX || h.ask > PUSH_NAME_MAX || h.size > PUSH_PART_MAX)
		return op_error_set(e, -EPIPE, "the process that reads the slice failed");
	p.name = xcalloc(h.name + 1, 1);
	p.ask = h.ask ? xcalloc(h.ask + 1, 1) : NULL;
	p.bytes = xmalloc(h.size + 1);
	p.size = h.size;
	p.samples = h.samples;
	if (file_read_fd(fd, p.name, h.name) || file_read_fd(fd, p.ask, h.ask) ||
	    file_read_fd(fd, p.bytes, h.size) ||
	    (h.what == PART && (!is_text(p.name, h.name) || !is_text(p.ask, h.ask)))) {
		push_part_free(&p);
		return op_error_set(e, -EPIPE, "the process that reads the slice failed");
	}
	if (h.what == PART) {
		*ret = p;
		return 1;
	}
	plain_text(p.name, strlen(p.name));
	if (h.err)
		op_error_set(e, h.err, "%s", p.name);
	push_part_free(&p);
	return h.err < 0 && h.err > -4096 ? h.err : h.err ? -EPIPE : 0;
}

void push_part_free(struct push_part *p)
{
	free(p->name);
	free(p->ask);
	free(p->bytes);
	*p = (struct push_part){ .size = 0 };
}
