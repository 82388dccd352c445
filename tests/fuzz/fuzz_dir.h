/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_dir.h - a folder for a target's files, in memory, gone with the process */
#ifndef TESTS_FUZZ_FUZZ_DIR_H
#define TESTS_FUZZ_FUZZ_DIR_H

#include <stdio.h>
#include <stdlib.h>

#include "libutil/file.h"

static char fuzz_dir[64];

static inline void fuzz_dir_remove(void)
{
	file_remove_tree(fuzz_dir);
}

static inline void fuzz_dir_make(const char *name)
{
	snprintf(fuzz_dir, sizeof(fuzz_dir), "/dev/shm/fuzz-%s-XXXXXX", name);
	if (!mkdtemp(fuzz_dir))
		abort();
	atexit(fuzz_dir_remove);
}

#endif
