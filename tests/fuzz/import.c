/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c - hostile layouts and sample files of other machines; what is written is sound
 *
 * Input: an abi file, an empty line, the sample file.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/odb/odb.h"
#include "libutil/xalloc.h"
#include "pp/exchange/import/foreign_samples.h"
#include "pp/exchange/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char output[64];

static void remove_output(void)
{
	unlink(output);
}

static uint64_t total_of(const char *path, size_t header_size)
{
	struct odb_snapshot s;
	uint64_t total = 0;

	if (odb_check(path, header_size, NULL) || odb_read(path, header_size, &s, NULL))
		abort();
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		total += s.nodes[i].count;
	odb_snapshot_free(&s);
	return total;
}

/* Twice: into a new file, and added to that. */
static void import(const struct foreign_samples *f)
{
	struct import_sums sums;
	struct sample_header header;
	size_t header_size;

	unlink(output);
	for (uint64_t times = 1; times <= 2; times++) {
		int err = import_samples(f, output, &sums, NULL);

		if (err == -EOVERFLOW)
			return;
		if (err || sample_header_read(output, &header, &header_size, NULL))
			abort();
		if (header.version != f->header.version || header.mtime != f->header.mtime)
			abort();
		if (total_of(output, header_size) != sums.samples * times)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *gap = memmem(data, size, "\n\n", 2);
	struct foreign_samples f;
	struct op_error e;
	struct abi abi;
	char *text;
	size_t n;

	if (!output[0]) {
		snprintf(output, sizeof(output), "/dev/shm/fuzz-import.%d", (int)getpid());
		atexit(remove_output);
	}
	if (!gap)
		return 0;
	n = (size_t)(gap - data) + 1;
	text = xmalloc(n + 1);
	memcpy(text, data, n);
	text[n] = '\0';
	if (!abi_parse(text, n, "abi", &abi, &e) && !foreign_abi_check(&abi, &e)) {
		/* of its own, so that a checker sees what reaches past the end */
		size_t rest = size - n - 1;
		uint8_t *bytes = xmalloc(rest ? rest : 1);

		memcpy(bytes, data + n + 1, rest);
		if (!foreign_samples_read(bytes, rest, &abi, &f, &e))
			import(&f);
		free(bytes);
	}
	free(text);
	return 0;
}
