// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history.c - fuzz segments of a history: reading, and merging loses no sample
 *
 * An input is blocks before they are compressed: 16 bits of length, then so many bytes. Checksums
 * would keep changed bytes from the code behind them. The top bit of its length damages a block.
 */
#include <string.h>
#include <zstd.h>
#include "libdb/history/block.h"
#include "libutil/varint.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t compress_block(char *packed, size_t room, const uint8_t *data, size_t n)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t length;

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	length = ZSTD_compress2(context, packed, room, data, n);
	ZSTD_freeCCtx(context);
	return length;
}

static void add_block(struct strbuf *out, const uint8_t *data, size_t n, bool is_damaged)
{
	struct history_block_header h = { .size = (uint32_t)n };
	const uint8_t *at = data;
	bool failed = false;
	char packed[ZSTD_COMPRESSBOUND(UINT16_MAX)];

	h.begin_ns = (int64_t)varint_get(&at, data + n, &failed);
	h.end_ns = (int64_t)((uint64_t)h.begin_ns + varint_get(&at, data + n, &failed));
	h.length = (uint32_t)compress_block(packed, sizeof(packed), data, n);
	packed[h.length - 1] ^= is_damaged;		/* the checksum */
	strbuf_add_bytes(out, &h, sizeof(h));
	strbuf_add_bytes(out, packed, h.length);
}

static const char *segment(const uint8_t *data, size_t size)
{
	struct strbuf out = STRBUF_INIT;
	const char *path;

	history_put_header(&out);
	while (size >= 2) {
		size_t n = (size_t)data[0] | (size_t)(data[1] & 0x7f) << 8;
		bool is_damaged = data[1] & 0x80;

		data += 2;
		size -= 2;
		if (n > size)
			n = size;
		add_block(&out, data, n, is_damaged);
		data += n;
		size -= n;
	}
	path = fuzz_file((const uint8_t *)out.text, out.len);
	strbuf_free(&out);
	return path;
}

static void add_length(void *sum, int64_t begin_ns, int64_t end_ns)
{
	if (begin_ns > end_ns)
		abort();
	*(uint64_t *)sum += (uint64_t)(end_ns - begin_ns);
}

/* *ret_whole: nothing is missing, so it can be merged. */
static int count_samples(const char *path, uint64_t *ret, bool *ret_whole)
{
	uint64_t length = 0;
	struct history_segment s;
	struct stack_totals t;
	size_t names = 0;
	struct op_error e = { "" };
	int err;

	(void)history_segment_scan(path, add_length, &length, &e);
	err = history_segment_read(path, INT64_MIN, INT64_MAX, &s, NULL);
	if (err)
		return err;
	stack_snapshot_totals(&s.stacks, &t);
	for (size_t i = 0; i < s.nr_slices; i++) {
		if (s.slices[i].begin_ns > s.slices[i].end_ns)
			abort();
		for (size_t k = 0; k < s.slices[i].nr_numbers; k++)
			names += strlen(s.slices[i].numbers[k].name);
	}
	*ret = t.samples;
	*ret_whole = !s.cut && !s.damaged;
	history_segment_free(&s);
	return names == SIZE_MAX || length == UINT64_MAX;	/* so that none is left out */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = segment(data, size);
	uint64_t before, after;
	bool is_whole = false, stays_whole = false;

	if (!count_samples(path, &before, &is_whole) &&
	    (!history_segment_merge(path, INT64_C(600000000000), NULL, NULL) != is_whole ||
	     count_samples(path, &after, &stays_whole) || after != before ||
	     stays_whole != is_whole))
		abort();
	unlink(path);
	return 0;
}
