/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - a format of profiles: name, reader and writer
 *
 * A format is a folder with read.c and write.c, one struct profile_format, and a line in
 * all_formats.h: doc/howto-add-a-format.md. Readers get all bytes of a file, already unpacked. They
 * allocate memory in proportion to these bytes, whatever numbers the bytes contain. Rules:
 * doc/formats.md [PF-n].
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "formats/profile/profile.h"
#include "libutil/error.h"

/*
 * Messages of readers begin with the place in the file: "line 7: ", "offset 12: " (in bytes),
 * "threads[0].samples: " (of JSON). format_locate() puts the name of the file before it, so that
 * editors can jump there: "FILE:7: ", "FILE: offset 12: ".
 */
void format_locate(const char *path, const char *text, struct op_error *ret);

/* Warnings while reading or writing goes on: messages as in libutil/error.h. */
struct format_warnings {
	void (*warn)(void *context, const char *text);	/* or NULL */
	void *context;
};
void format_warn(const struct format_warnings *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct format_read_options {
	const struct format_warnings *warnings;
	bool strict;		/* fail where a warning would do */
	bool salvage;		/* keep the intact part of a malformed file, with a warning */
	bool drop_handler_frames;	/* cpuprofile only [GC-23] */
};

/* For faults that do no harm: warn and return 0; with @options->strict, set @e, return -EPROTO. */
int format_warn_or_fail(const struct format_read_options *options, struct op_error *e,
			const char *format, ...) __attribute__((format(printf, 3, 4)));

/* After an error @e: with @options->salvage, warn that @what ("line") is skipped; else false. */
bool format_skip(const struct format_read_options *options, const struct op_error *e,
		 const char *what);

struct format_session;		/* pp/exchange/export/session_format.h */

struct format_write_options {
	const struct format_warnings *warnings;
	uint32_t event;		/* for formats with room for one event; others write all */
	const char *pid;	/* for formats of one process; "": all processes together */
	bool small;		/* where files are packed: better, which takes longer */
	const struct format_session *session;	/* of the profile; NULL: unknown */
};

struct profile_format {
	const char *name;	/* as in --to=NAME */
	const char *suffix;	/* of files, without the dot: "pb.gz" */
	const char *text;	/* one line for --list-formats */
	bool one_event;		/* has room for one event only */
	bool no_names;		/* places that have an address are written without names */
	bool needs_session;	/* write() needs options->session */

	/* Do these bytes look like such a file? NULL: never detected, needs --from. */
	bool (*detect)(const unsigned char *bytes, size_t size);

	/*
	 * Fill @p, which is new and owned by the caller. NULL: the format cannot be read. -EPROTO:
	 * the file is malformed, @e (not NULL) has the place and the fault; @p can then only be
	 * freed.
	 */
	int (*read)(const unsigned char *bytes, size_t size,
		    const struct format_read_options *options, struct profile *p,
		    struct op_error *e);

	/*
	 * NULL: the format cannot be written. -EINVAL: the format cannot hold @p, @e has the
	 * reason. The caller checks @out for errors (ferror).
	 */
	int (*write)(const struct profile *p, const struct format_write_options *options,
		     FILE *out, struct op_error *e);
};

/* Lists of formats end with NULL. This one has all that need no session, by name. */
extern const struct profile_format *const profile_formats[];

/* Each returns a format or NULL. Of several suffixes that fit, the longest counts. */
const struct profile_format *profile_format_by_name(const struct profile_format *const *list,
						    const char *name);
const struct profile_format *profile_format_by_suffix(const struct profile_format *const *list,
						      const char *path);
const struct profile_format *profile_format_find(const char *name);	/* in profile_formats */
const struct profile_format *profile_format_detect(const unsigned char *bytes, size_t size);

/* Names of the formats that can be written, or read: "a, b or c". The caller frees them. */
char *profile_format_names(const struct profile_format *const *list, bool written);

/* For --list-formats: a line for each format that can be written, or read. */
void profile_formats_print(const struct profile_format *const *list, bool written, FILE *out);

/* All bytes of the file @path ("-": stdin). The caller frees them. */
int profile_file_bytes(const char *path, unsigned char **ret, size_t *ret_size,
		       struct op_error *e);

/*
 * Read a profile from the bytes of the file @path, unpacking gzip. Fails with -EFBIG if it unpacks
 * to more than 64 times its size and more than 1 MiB [PF-7]. @format NULL: detect it. The caller
 * frees *ret.
 */
int profile_read_bytes(const char *path, const unsigned char *bytes, size_t size,
		       const struct profile_format *format,
		       const struct format_read_options *options, struct profile **ret,
		       struct op_error *e);

/* Both. */
int profile_read_file(const char *path, const struct profile_format *format,
		      const struct format_read_options *options, struct profile **ret,
		      struct op_error *e);

#endif
