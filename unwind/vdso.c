// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c - the vdso is an ELF image in our own memory, and the same in every process */
#include <errno.h>
#include "libutil/vdso.h"
#include "unwind/build.h"
#include "unwind/vdso.h"

#define LIMIT	(1 << 20)	/* bytes; tables of vdsos have 1 KB */

int unwind_vdso_table(struct unwind_table *ret)
{
	struct op_unwind_table *blob;
	size_t size, len;
	const void *image = vdso_image(&size);
	int err;

	if (!image)
		return -ENOENT;
	err = unwind_build_image(image, size, LIMIT, &blob, &len, NULL);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	*ret = (struct unwind_table){ .blob = blob, .len = len };
	return 0;
}
