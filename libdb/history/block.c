// SPDX-License-Identifier: GPL-2.0-or-later
/* block.c - write the block of a slice [HI-3] to [HI-6] */
#include "libdb/history/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/varint.h"
#include "libutil/xalloc.h"
#include "libutil/zstd.h"

#define LEVEL	19

void history_put_header(struct strbuf *out)
{
	struct history_header h = { .byte_order = HISTORY_BYTE_ORDER, .version = HISTORY_VERSION };

	memcpy(h.magic, HISTORY_MAGIC, sizeof(h.magic));
	strbuf_add_bytes(out, &h, sizeof(h));
}

void history_names_free(struct history_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->names[i]);
	free(n->names);
	*n = (struct history_names){ NULL, 0, 0 };
}

static void put_name(struct strbuf *out, struct history_names *n, const char *name)
{
	size_t i = 0;

	while (i < n->nr && strcmp(n->names[i], name))
		i++;
	varint_put(out, i);
	if (i < n->nr)
		return;
	varint_put(out, strlen(name));
	strbuf_add(out, name);
	xgrow(n->names, n->nr, n->room);
	n->names[n->nr++] = xstrdup(name);
}

static void put_deltas(struct strbuf *out, const struct history_block *b)
{
	uint32_t next = 0;

	varint_put(out, b->nr_deltas);
	for (size_t i = 0; i < b->nr_deltas; i++) {
		varint_put(out, b->deltas[i].count - next);
		next = b->deltas[i].count + 1;
	}
	for (size_t i = 0; i < b->nr_deltas; i++)
		varint_put(out, b->deltas[i].samples);
}

static int compress_block(const struct history_slice *slice, const struct strbuf *bytes,
			  struct strbuf *out)
{
	struct history_block_header h = { .size = (uint32_t)bytes->len,
					  .begin_ns = slice->begin_ns, .end_ns = slice->end_ns };
	void *packed;
	size_t n;
	int err;

	if (bytes->len > HISTORY_BYTES_MAX)
		return -EFBIG;
	err = zstd_pack(bytes->text, bytes->len, LEVEL, &packed, &n);
	if (err)
		return err;
	h.length = (uint32_t)n;
	strbuf_add_bytes(out, &h, sizeof(h));
	strbuf_add_bytes(out, packed, n);
	free(packed);
	return 0;
}

int history_encode(const struct history_block *b, struct stack_packer *packer,
		   const struct stack_log *log, struct history_names *names, struct strbuf *out)
{
	struct strbuf bytes = STRBUF_INIT, columns = STRBUF_INIT;
	int err = stack_pack_piece(packer, log, &columns);

	if (!err) {
		varint_put(&bytes, (uint64_t)b->slice.begin_ns);
		varint_put(&bytes, (uint64_t)(b->slice.end_ns - b->slice.begin_ns));
		varint_put(&bytes, b->slice.nr_numbers);
		for (size_t i = 0; i < b->slice.nr_numbers; i++) {
			put_name(&bytes, names, b->slice.numbers[i].name);
			varint_put(&bytes, b->slice.numbers[i].value);
		}
		varint_put(&bytes, log->have);
		varint_put(&bytes, columns.len);
		strbuf_add_bytes(&bytes, columns.text, columns.len);
		put_deltas(&bytes, b);
		err = compress_block(&b->slice, &bytes, out);
	}
	strbuf_free(&columns);
	strbuf_free(&bytes);
	return err;
}
