/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xprof_file.c - binary profile feedback whose checksums are right, whatever else is not
 *
 * Sections are what the input says; checksums, offsets and sizes are set right as far as they go,
 * or nothing behind them would ever be reached.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feedback/xprof/crc32c.h"
#include "feedback/xprof/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend(char *bytes, size_t size)
{
	struct xprof_file_header h;
	uint64_t at;

	memcpy(&h, bytes, sizeof(h));
	if (h.byte_order != XPROF_FILE_ORDER || h.nr_sections > 32 ||
	    size < sizeof(h) + h.nr_sections * sizeof(struct xprof_file_section))
		return;
	h.header_size = at = sizeof(h) + h.nr_sections * sizeof(struct xprof_file_section);
	h.total_size = size;
	h.crc = 0;
	for (uint32_t i = 0; i < h.nr_sections; i++) {
		struct xprof_file_section s;
		char *entry = bytes + sizeof(h) + i * sizeof(s);

		memcpy(&s, entry, sizeof(s));
		s.offset = at;
		if (i == h.nr_sections - 1 || s.size > size - at ||
		    size - at - s.size < (-s.size & 7))
			s.size = size - at;
		at += s.size + (-s.size & 7);
		if (at > size)
			at = size;
		s.crc = crc32c(0, bytes + s.offset, at - s.offset);
		memcpy(entry, &s, sizeof(s));
	}
	memcpy(bytes, &h, sizeof(h));
	h.crc = crc32c(0, bytes, h.header_size);
	memcpy(bytes, &h, sizeof(h));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xprof_options options = { .strict = true };
	struct op_error e = { "" };
	struct xprof *x;
	char path[64], *bytes;
	int fd;

	if (size < sizeof(struct xprof_file_header))
		return 0;
	bytes = malloc(size);
	memcpy(bytes, data, size);
	mend(bytes, size);
	fd = memfd_create("xprof", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!xprof_file_read(path, &options, &x, &e)) {
		FILE *null = fopen("/dev/null", "w");

		xprof_text_write(x, null);
		fclose(null);
		xprof_free(x);
	}
	close(fd);
	free(bytes);
	return 0;
}
