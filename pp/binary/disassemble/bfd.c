/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfd.c - open files with libbfd, and keep it quiet */
#include "pp/binary/disassemble/bfd.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/elf_file.h"
#include "pp/binary/unpack.h"

static void quiet(const char *format, va_list args)
{
	(void)format;
	(void)args;
}

/*
 * From 2.39 on libbfd defers messages about a damaged file until it knows the format, and then
 * writes them to stderr without calling the handler, with unchecked bytes of the file in them.
 */
static bool is_object(bfd *file)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int kept = null >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
	bool is;

	if (kept >= 0)
		dup2(null, STDERR_FILENO);
	is = bfd_check_format(file, bfd_object);
	if (kept >= 0) {
		dup2(kept, STDERR_FILENO);
		close(kept);
	}
	if (null >= 0)
		close(null);
	return is;
}

/*
 * libbfd 2.44 maps the tables of a file, and ends the program if one reaches beyond the file's end.
 */
static int check_sections(int fd, struct op_error *e)
{
	struct elf_section *sections = NULL;
	struct elf_file elf;
	size_t nr = 0;
	int err = elf_file_open(fd, &elf);

	if (!err)
		err = elf_file_sections(&elf, SIZE_MAX, &sections, &nr);
	if (err)
		return op_error_set(e, err, "cannot read the section headers: %s", strerror(-err));
	for (size_t i = 0; i < nr && !err; i++) {
		const struct elf_section *s = &sections[i];

		if (s->type != SHT_NULL && s->type != SHT_NOBITS &&
		    (s->offset > elf.size || s->size > elf.size - s->offset))
			err = op_error_set(e, -EPROTO,
					   "section %zu extends beyond the end of the file", i);
	}
	free(sections);
	return err;
}

static void read_symbols(struct bfd_file *f)
{
	long size = bfd_get_file_flags(f->bfd) & HAS_SYMS ? bfd_get_symtab_upper_bound(f->bfd) : 0;

	f->symbols = size > 0 ? malloc(size) : NULL;	/* checked against the file's size */
	if (f->symbols && bfd_canonicalize_symtab(f->bfd, f->symbols) <= 0) {
		free(f->symbols);
		f->symbols = NULL;
	}
}

/* For reading only: libbfd would write to what it can write to. -errno. */
static int open_file(const char *path, const void *bytes, size_t size)
{
	int copy = bytes ? memory_file(bytes, size) : -1;
	char name[64];
	int fd;

	if (bytes && copy < 0)
		return -EIO;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", copy);
	fd = open(bytes ? name : path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	if (copy >= 0)
		close(copy);
	return fd;
}

int bfd_file_open(const char *path, const void *bytes, size_t size, struct bfd_file *ret,
		  struct op_error *e)
{
	struct bfd_file f = { NULL, NULL };
	int fd = open_file(path, bytes, size), err;

	if (fd < 0)
		return op_error_set(e, fd, "%s", strerror(-fd));
	err = check_sections(fd, e);
	if (err) {
		close(fd);
		return err;
	}
	bfd_init();
	bfd_set_error_handler(quiet);	/* callers report damaged files, once */
	f.bfd = bfd_fdopenr(path, NULL, fd);	/* which owns @fd now */
	if (!f.bfd || !is_object(f.bfd)) {
		bfd_file_close(&f);
		return op_error_set(e, -ENOEXEC, "%s", bfd_errmsg(bfd_get_error()));
	}
	read_symbols(&f);
	*ret = f;
	return 0;
}

void bfd_file_close(struct bfd_file *f)
{
	free(f->symbols);
	if (f->bfd)
		bfd_close(f->bfd);
	*f = (struct bfd_file){ NULL, NULL };
}
