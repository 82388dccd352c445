// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_header.c - is FILE a sample file? Exit 0 or say why not; for tests. */
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libutil/message.h"

int main(int argc, char **argv)
{
	struct op_error e = { "" };
	struct sample_header header;
	struct odb_snapshot s;
	size_t size;

	if (argc != 2) {
		report_error("usage: sample_header FILE");
		return 2;
	}
	if (sample_header_read(argv[1], &header, &size, &e) || odb_read(argv[1], size, &s, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	odb_snapshot_free(&s);
	return 0;
}
