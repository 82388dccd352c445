// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - open the file that a module was loaded from
 *
 * A library may be unloaded while its call frame information is read, so its memory is not used.
 * Its file may have been replaced since, so the identity is checked.
 */
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsampler/unwind/files.h"
#include "libutil/hash.h"

/* Without build IDs the program headers must be equal. */
static bool is_loaded_file(Elf *elf, const struct module *m)
{
	const void *bits, *headers = elf64_getphdr(elf);
	struct build_id id = { .len = 0 };
	char text[BUILD_ID_TEXT];
	ssize_t len = dwelf_elf_gnu_build_id(elf, &bits);
	size_t nr;

	if (len > 0 && len <= BUILD_ID_MAX) {
		memcpy(id.bytes, bits, len);
		id.len = len;
	}
	return headers && !elf_getphdrnum(elf, &nr) &&
	       hash_bytes(headers, nr * sizeof(Elf64_Phdr)) == m->headers_hash &&
	       !strcmp(build_id_text(&id, text), m->public.build_id);
}

static Elf *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (elf && (elf_kind(elf) != ELF_K_ELF || elf_cntl(elf, ELF_C_FDREAD))) {
		elf_end(elf);
		elf = NULL;
	}
	/* the mapping stays if the program closes all descriptors */
	close(fd);
	return elf;
}

/* The vdso has no file and is never unloaded, but libelf may write to its image: copy it. */
static Elf *open_vdso(const struct module_vdso *vdso, void **ret_bytes)
{
	void *bytes = malloc(vdso->size);
	Elf *elf;

	if (!bytes)
		return NULL;
	memcpy(bytes, vdso->image, vdso->size);
	elf = elf_memory(bytes, vdso->size);
	if (!elf)
		free(bytes);
	else
		*ret_bytes = bytes;
	return elf;
}

Elf *unwind_file_open(const struct module *m, void **ret_bytes)
{
	struct module_vdso vdso;
	Elf *elf;

	*ret_bytes = NULL;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	if (module_vdso(m, &vdso))
		return open_vdso(&vdso, ret_bytes);
	elf = open_file(m->is_main ? "/proc/self/exe" : m->public.path);
	if (elf && !is_loaded_file(elf, m)) {
		elf_end(elf);
		elf = NULL;
	}
	return elf;
}
