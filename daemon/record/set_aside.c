// SPDX-License-Identifier: GPL-2.0-or-later
/* set_aside.c - see set_aside.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "daemon/record/set_aside.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define BROKEN_MAX	9

/* A sample file's name gets a seventh field this way, so reports list it as invalid. [SF-27] */
int set_aside(const char *path, char **ret_name)
{
	int err = -EEXIST;

	for (int i = 1; i <= BROKEN_MAX && err == -EEXIST; i++) {
		char *to = xasprintf("%s.broken%d", path, i);

		err = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno : 0;
		if (!err)
			*ret_name = xstrdup(path_base(to));
		free(to);
	}
	return err;
}
