// SPDX-License-Identifier: GPL-2.0-or-later
/* target.c - find programs that the loader does not preload libraries into */
#include "operf/opsample/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "libutil/xalloc.h"

#define HEAD_SIZE	4096		/* bytes that contain the headers of a program */
#define INTERPRETERS	4		/* of scripts of scripts, as in the kernel */

static int check_rights(const char *path, struct op_error *e)
{
	struct stat st;
	bool other;

	if (stat(path, &st))
		return 0;
	other = ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
		((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid()) ||
		(geteuid() && getxattr(path, "security.capability", NULL, 0) > 0);
	if (!other)
		return 0;
	return op_error_set(e, -EPERM, "'%s' is privileged, so no library can be preloaded; use "
			    "operf", path);
}

/* Read the first bytes of a file. Returns the number of bytes. */
static size_t read_head(const char *path, unsigned char head[HEAD_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, head, HEAD_SIZE);

	if (fd >= 0)
		close(fd);
	return n < 0 ? 0 : (size_t)n;
}

static bool has_our_machine(const ElfW(Ehdr) *h)
{
	_Alignas(ElfW(Ehdr)) unsigned char head[HEAD_SIZE];
	const ElfW(Ehdr) *own = (const void *)head;

	return read_head("/proc/self/exe", head) < sizeof(*own) ||
	       (h->e_ident[EI_CLASS] == own->e_ident[EI_CLASS] &&
		h->e_ident[EI_DATA] == own->e_ident[EI_DATA] && h->e_machine == own->e_machine);
}

static int check_elf(const char *path, const unsigned char *head, size_t n, struct op_error *e)
{
	const ElfW(Ehdr) *h = (const void *)head;
	const ElfW(Phdr) *p = (const void *)(head + sizeof(*h));

	if (n < sizeof(*h) || !has_our_machine(h))
		return op_error_set(e, -ENOEXEC, "'%s' is for another kind of machine than "
				    "opsample; use operf", path);
	if (h->e_phoff != sizeof(*h))
		return 0;
	for (unsigned int i = 0; i < h->e_phnum; i++)
		if (h->e_phoff + (i + 1) * sizeof(*p) > n || p[i].p_type == PT_INTERP)
			return 0;
	return op_error_set(e, -ENOEXEC, "'%s' is statically linked, so no library can be "
			    "preloaded; use operf", path);
}

/* The path after "#!", in @head; or NULL. */
static char *interpreter(unsigned char *head, size_t n)
{
	char *text = (char *)head + 2;

	head[n] = '\0';
	text += strspn(text, " \t");
	text[strcspn(text, " \t\r\n")] = '\0';
	return *text ? text : NULL;
}

int opsample_target_check(const char *file, struct op_error *e)
{
	_Alignas(ElfW(Ehdr)) unsigned char head[HEAD_SIZE + 1];
	char *path = xstrdup(file);
	int err = 0;

	for (int i = 0; path && !err && i <= INTERPRETERS; i++) {
		size_t n = read_head(path, head);
		char *next = NULL;

		err = check_rights(path, e);
		if (!err && n >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
			err = check_elf(path, head, n, e);
		else if (n > 2 && head[0] == '#' && head[1] == '!')
			next = interpreter(head, n);
		next = next ? xstrdup(next) : NULL;
		free(path);
		path = next;
	}
	free(path);
	return err;
}
