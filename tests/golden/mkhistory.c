/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkhistory.c - add a slice to a history: what a session's stack store has and had not before
 *
 *	mkhistory SESSION_DIR FOLDER BEGIN END [NAME=NUMBER...]
 *	mkhistory SESSION_DIR BINARY [lines]	keep its symbols, and lines
 *
 * The store is that of the current session, which mkstacks fills from slice to slice. FOLDER is
 * that of the segment, NUMBER-SECONDS; BEGIN and END are seconds since the epoch. Names are sorted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/history/symbols_pack.h"
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libdb/session/session.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/golden/mktext.h"

#define NS	INT64_C(1000000000)
#define MAX	16

static void keep_symbols(const char *session_dir, const char *binary, bool lines)
{
	int fd = open(binary, O_RDONLY | O_CLOEXEC);
	char text[BUILD_ID_TEXT], *name, *path;
	struct build_id id;
	struct elf_file f;
	void *packed;
	size_t n;

	if (fd < 0 || build_id_read_fd(fd, &id) || elf_file_open(fd, &f) ||
	    symbols_pack(&f, lines, &packed, &n))
		fail("cannot pack the symbols", binary);
	name = history_symbols_name(build_id_text(&id, text));
	path = xasprintf("%s/" HISTORY_DIR "/" HISTORY_SYMBOLS "/%s", session_dir, name);
	if (file_make_parent_dirs(path, 0755) || file_write_atomic(path, packed, n, 0644))
		fail("cannot write", path);
	free(packed);
	free(path);
	free(name);
	close(fd);
}

int main(int argc, char **argv)
{
	struct history_number numbers[MAX];
	struct history_slice slice = { .numbers = numbers };
	struct history_writer *writer;
	struct op_error e = { "" };
	char *store, *segment;

	at.path = argv[0];
	if (argc == 3 || argc == 4) {
		keep_symbols(argv[1], argv[2], argc == 4);
		return 0;
	}
	if (argc < 5 || argc > 5 + MAX) {
		fprintf(stderr, "usage: mkhistory SESSION_DIR FOLDER BEGIN END [NAME=NUMBER...]\n"
				"       mkhistory SESSION_DIR BINARY [lines]\n");
		return 2;
	}
	store = session_stats_path(argv[1], SESSION_CURRENT, HISTORY_STORE);
	segment = xasprintf("%s/" HISTORY_DIR "/%s/" HISTORY_SEGMENT, argv[1], argv[2]);
	slice.begin_ns = (int64_t)number(argv[3]) * NS;
	slice.end_ns = (int64_t)number(argv[4]) * NS;
	for (char **arg = argv + 5; *arg; arg++) {
		char *equals = strchr(*arg, '=');

		if (!equals)
			fail("expected NAME=NUMBER", *arg);
		*equals = '\0';
		numbers[slice.nr_numbers++] = (struct history_number){ *arg, number(equals + 1) };
	}
	if (file_make_parent_dirs(segment, 0755) || history_writer_open(segment, &writer, &e) ||
	    history_writer_add(writer, &slice, store, &e))
		fail(e.text, segment);
	history_writer_close(writer);
	free(segment);
	free(store);
	return 0;
}
