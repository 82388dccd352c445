// SPDX-License-Identifier: GPL-2.0-or-later
/* absent.c - what is built without clang, bpftool or libbpf says so */
#include "daemon/collect/bpf/absent.c"	/* it replaces the library's walker.c here */

#include <string.h>

#include "tests/tap.h"

TEST(says_what_is_missing)
{
	struct bpf_walker *w = NULL;
	struct op_error e = {""};

	CHECK(bpf_walker_load(1 << 20, &w, &e) == -ENOTSUP && !w, "loaded");
	CHECK(strstr(e.text, "built without") && strstr(e.text, "--collector=perf"), "%s", e.text);
	CHECK(bpf_walker_attach(NULL, 1, 2, 3, 0) == -ENOTSUP, "attached");
	bpf_walker_free(NULL);
}

TEST_MAIN()
