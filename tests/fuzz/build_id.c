// SPDX-License-Identifier: GPL-2.0-or-later
/* build_id.c - fuzz ELF files and notes */
#include "libutil/build_id.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (!build_id_read(path, &id) && (!id.len || id.len > BUILD_ID_MAX))
		abort();
	if (!build_id_read_notes(data, size, &id))
		build_id_text(&id, text);
	unlink(path);
	return 0;
}
