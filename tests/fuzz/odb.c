// SPDX-License-Identifier: GPL-2.0-or-later
/* odb.c - fuzz sample files: read, check, add to; what the writer took is sound afterwards */
#include <string.h>
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t total_of(const char *path, size_t header_size, int *ret_err)
{
	struct odb_snapshot s;
	uint64_t total = 0;

	*ret_err = odb_read(path, header_size, &s, NULL);
	if (*ret_err)
		return 0;
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		total += s.nodes[i].count;
	odb_snapshot_free(&s);
	return total;
}

static void add_to(struct odb *db)
{
	uint64_t keys[300];

	for (uint64_t i = 0; i < 300; i++)
		keys[i] = i * 0x9e3779b97f4a7c15u >> i % 60;
	for (int i = 0; i < 10; i++)
		if (odb_add(db, keys[i], UINT32_MAX))
			abort();
	if (odb_add_many(db, keys, 300, NULL))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct sample_header header;
	size_t header_size = SAMPLE_HEADER_SIZE;
	struct odb *db = NULL;
	uint64_t before;
	int err;

	(void)sample_header_read(path, &header, &header_size, NULL);
	before = total_of(path, header_size, &err);
	odb_check(path, header_size, NULL);
	if (!odb_open(path, header_size, &db, NULL)) {
		if (!err && total_of(path, header_size, &err) != before)
			abort();	/* opening must not lose samples */
		add_to(db);
		odb_close(db);
		if (odb_check(path, header_size, NULL))
			abort();
	}
	unlink(path);
	return 0;
}
