// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * own_mounts.c - own-mounts COMMAND [ARGUMENT...]: run it in a mount namespace of its own
 *
 * Like unshare -m, which refuses where the root is a plain folder (own_mounts.h).
 */
#include <stdio.h>
#include "tests/unit/own_mounts.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: own-mounts COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (!own_mounts()) {
		perror("own-mounts");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
