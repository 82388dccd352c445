// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c - find the vdso and its size */
#include "libutil/vdso.h"

#include <link.h>
#include <sys/auxv.h>

#define PAGE	4096

/* The kernel's headers are valid, and all they refer to is mapped. */
static size_t image_size(const char *image)
{
	const ElfW(Ehdr) *h = (const void *)image;
	const ElfW(Phdr) *p = (const void *)(image + h->e_phoff);
	size_t end = h->e_shoff + h->e_shnum * sizeof(ElfW(Shdr));

	for (unsigned int i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_offset + p[i].p_filesz > end)
			end = p[i].p_offset + p[i].p_filesz;
	return (end + PAGE - 1) / PAGE * PAGE;
}

const void *vdso_image(size_t *ret_size)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);

	if (image)
		*ret_size = image_size(image);
	return image;
}
