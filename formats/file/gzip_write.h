/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip_write.h - a file packed with gzip while it is written
 *
 * The same bytes always give the same file: it holds no name and no time.
 */
#ifndef FORMATS_FILE_GZIP_WRITE_H
#define FORMATS_FILE_GZIP_WRITE_H

#include <stddef.h>
#include <stdio.h>

struct gzip_writer;

/* NULL: out of memory. */
struct gzip_writer *gzip_writer_new(FILE *out);
void gzip_write(struct gzip_writer *g, const void *bytes, size_t n);

/* All is handed to @out, whose errors are for the caller to find (ferror), and @g is gone. */
void gzip_writer_end(struct gzip_writer *g);

#endif
