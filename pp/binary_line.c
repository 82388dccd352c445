/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary_line.c - source lines of places, through libbfd; opened when the first is asked for */
#include "binary_private.h"

#include <stdlib.h>
#include <string.h>

#define PACKAGE "oprofile"	/* bfd.h insists */
#define PACKAGE_VERSION "1"
#include <bfd.h>

#include "file.h"
#include "xalloc.h"

struct line_reader {
	bfd *abfd;		/* NULL: there are no lines */
	asymbol **table;
};

static void quiet(const char *format, va_list args)
{
	(void)format;
	(void)args;
}

/* Without it libbfd answers from the symbol table's file names, always line 0. */
static bool has_lines(bfd *abfd)
{
	return bfd_get_section_by_name(abfd, ".debug_info") ||
	       bfd_get_section_by_name(abfd, ".zdebug_info");
}

static struct line_reader *reader_new(const char *path)
{
	struct line_reader *reader = xcalloc(1, sizeof(*reader));
	long size;

	bfd_init();
	bfd_set_error_handler(quiet);	/* damaged files are told by us, once */
	reader->abfd = bfd_openr(path, NULL);
	if (!reader->abfd)
		return reader;
	if (!bfd_check_format(reader->abfd, bfd_object) || !has_lines(reader->abfd)) {
		bfd_close(reader->abfd);
		reader->abfd = NULL;
		return reader;
	}
	size = bfd_get_symtab_upper_bound(reader->abfd);
	reader->table = size > 0 ? malloc(size) : NULL;
	if (reader->table && bfd_canonicalize_symtab(reader->abfd, reader->table) < 0) {
		free(reader->table);
		reader->table = NULL;
	}
	return reader;
}

void line_reader_free(struct line_reader *reader)
{
	if (!reader)
		return;
	free(reader->table);
	if (reader->abfd)
		bfd_close(reader->abfd);
	free(reader);
}

bool binary_line(const struct binary *b, uint64_t place, bool long_names, struct strbuf *out)
{
	const struct code_section *where = binary_section(b, place);
	const char *file = NULL, *function = NULL;
	unsigned int line = 0;
	asection *section;
	bfd *abfd;

	if (!b->files || !where || b->files->image.bytes)
		return false;
	if (!b->files->lines)
		b->files->lines = reader_new(b->debug_path ? b->debug_path : b->files->path);
	abfd = b->files->lines->abfd;
	section = abfd ? bfd_get_section_by_name(abfd, where->name) : NULL;
	if (!section || !bfd_find_nearest_line(abfd, section, b->files->lines->table,
					       place - where->start, &file, &function, &line) ||
	    !file || !*file)
		return false;
	strbuf_addf(out, "%s:%u", long_names ? file : path_base(file), line);
	return true;
}
