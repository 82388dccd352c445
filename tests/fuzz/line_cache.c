/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_cache.c - a cache file of line tables that somebody else wrote
 *
 * Checksums reject nearly every input, so each input is read twice: as it is, and with checksums
 * that match, to reach the checks behind them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.c"	/* for the layout of a file */
#include "tests/fuzz/fuzz_dir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BUILD_ID "abcdef"

/* Everything that is in it, at addresses of all kinds. */
static void look_up(const struct line_cache_record *r)
{
	static const uint64_t addresses[] = {
		0, 1, 0x1000, 0x1020, 0x401000, 0x401025, UINT64_MAX
	};
	struct inline_span frames[4], *spans;
	struct line_place place;
	uint64_t unit;
	size_t nr;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		if (r->kind == LINE_UNITS)
			line_find_unit(&r->record, addresses[i], &unit);
		else if (r->kind == LINE_ROWS && line_find_row(&r->record, addresses[i], &place))
			hash_string(place.file);
		else if (r->kind == LINE_INLINES || r->kind == LINE_NAMES)
			line_find_inlines(&r->record, addresses[i], frames, 4);
	}
	if (r->kind != LINE_INLINES && r->kind != LINE_NAMES)
		return;
	spans = line_record_spans(&r->record, &nr);
	for (size_t i = 0; i < nr; i++)
		hash_string(spans[i].function ? spans[i].function : "");
	free(spans);
}

static void read_file(const uint8_t *bytes, size_t size)
{
	char *path = cache_path(fuzz_dir, BUILD_ID);
	struct line_cache_record *records;
	struct line_cache *cache;
	size_t nr;

	if (file_write_atomic(path, bytes, size, 0600))
		abort();
	free(path);
	cache = line_cache_open(fuzz_dir, BUILD_ID);
	if (!cache)
		return;
	records = line_cache_read_all(cache, &nr);
	for (size_t i = 0; i < nr; i++) {
		look_up(&records[i]);
		line_record_free(&records[i].record);
	}
	free(records);
	line_cache_close(cache);
}

static void set_checksums(uint8_t *bytes, size_t size)
{
	struct cache_header h;
	size_t room = (size - sizeof(h)) / sizeof(struct cache_entry);
	struct cache_entry *entries = (struct cache_entry *)(void *)(bytes + sizeof(h));

	memcpy(&h, bytes, sizeof(h));
	memcpy(h.magic, CACHE_MAGIC, sizeof(h.magic));
	h.format = CACHE_FORMAT;
	h.size = size;
	h.name_hash = hash_string(BUILD_ID);
	if (h.nr_entries > room)
		h.nr_entries = room;
	for (size_t i = 0; i < h.nr_entries; i++)
		if (entries[i].offset <= size && entries[i].size <= size - entries[i].offset)
			entries[i].hash = hash_bytes(bytes + entries[i].offset, entries[i].size);
	h.index_hash = hash_bytes(entries, h.nr_entries * sizeof(*entries));
	h.header_hash = hash_bytes(&h, offsetof(struct cache_header, header_hash));
	memcpy(bytes, &h, sizeof(h));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes;

	if (!*fuzz_dir)
		fuzz_dir_make("line-cache");
	read_file(data, size);
	if (size < sizeof(struct cache_header))
		return 0;
	bytes = xmalloc(size);
	memcpy(bytes, data, size);
	set_checksums(bytes, size);
	read_file(bytes, size);
	free(bytes);
	return 0;
}
