// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vdso.c - the kernel's vdso is an ELF image in our own memory, the same in every process
 */
#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>
#include "unwind/build.h"
#include "unwind/vdso.h"

#define PAGE		4096
#define LIMIT		(1 << 20)	/* kernels have a table of 1 KB */

/* The kernel made it: its headers are true, and all they speak of is mapped. */
static size_t image_size(const char *image)
{
	const Elf64_Ehdr *h = (const void *)image;
	const Elf64_Phdr *p = (const void *)(image + h->e_phoff);
	size_t end = h->e_shoff + h->e_shnum * sizeof(Elf64_Shdr);

	for (unsigned int i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_offset + p[i].p_filesz > end)
			end = p[i].p_offset + p[i].p_filesz;
	return (end + PAGE - 1) / PAGE * PAGE;
}

const void *unwind_vdso_image(size_t *ret_size)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);

	if (image)
		*ret_size = image_size(image);
	return image;
}

int unwind_vdso_table(struct unwind_table *ret)
{
	struct op_unwind_table *blob;
	size_t size, len;
	const char *image = unwind_vdso_image(&size);
	int err;

	if (!image)
		return -ENOENT;
	err = unwind_build_image(image, size, LIMIT, &blob, &len, NULL);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	*ret = (struct unwind_table){ blob, len };
	return 0;
}
