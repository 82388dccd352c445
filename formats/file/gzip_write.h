/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip_write.h - pack a file with gzip while it is written
 *
 * Equal bytes give equal files: the header has neither a name nor a time.
 */
#ifndef FORMATS_FILE_GZIP_WRITE_H
#define FORMATS_FILE_GZIP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gzip_writer;

/* @small: a fifth less for three times the CPU time. NULL: out of memory. */
struct gzip_writer *gzip_writer_new(FILE *out, bool small);
void gzip_write(struct gzip_writer *g, const void *bytes, size_t n);

/* Flush to @out and free @g. The caller checks @out for errors (ferror). */
void gzip_writer_end(struct gzip_writer *g);

#endif
