/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - what a format of profiles is to the tools: a name, a reader and a writer
 *
 * A format is a folder with read.c and write.c, one struct profile_format, and a line in
 * all_formats.h: doc/howto-add-a-format.md. Readers see all the bytes, already unpacked. They take
 * memory in proportion to the bytes that are there, whatever numbers stand in them. Rules:
 * doc/formats.md [PF-n].
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "formats/profile/profile.h"
#include "libutil/error.h"

/* Said while reading or writing goes on: "line 7: ...", one sentence without a full stop. */
struct format_warnings {
	void (*warn)(void *context, const char *text);	/* or NULL */
	void *context;
};
void format_warn(const struct format_warnings *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct format_read_options {
	const struct format_warnings *warnings;
	bool strict;		/* what is warned of is refused instead */
	bool salvage;		/* keep what is whole before a fault, with a warning */
	bool drop_handler_frames;	/* of cpuprofile [GC-23]; others know of none */
};

/* What is wrong but does no harm: warned of, or if the options say strict, -EPROTO and in @e. */
int format_doubt(const struct format_read_options *options, struct op_error *e,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

struct format_session;		/* pp/exchange/export/session_format.h */

struct format_write_options {
	const struct format_warnings *warnings;
	uint32_t event;		/* of formats that have room for one; others write all */
	const char *pid;	/* of formats for one process; "" all together */
	const struct format_session *session;	/* what the profile is of; NULL: not known */
};

struct profile_format {
	const char *name;	/* as in --to=NAME */
	const char *suffix;	/* of files, without the dot: "pb.gz" */
	const char *text;	/* one line for --list-formats */
	bool one_event;		/* has room for one event only */
	bool no_names;		/* of places that have an address none is written */
	bool needs_session;	/* write() needs options->session */

	/* May these bytes be such a file? NULL: never said without --from. */
	bool (*detect)(const unsigned char *bytes, size_t size);

	/*
	 * Fill @p, which is new and stays the caller's. NULL: cannot be read. -EPROTO: @e says at
	 * which offset or line which rule is broken; @p is then to be freed only.
	 */
	int (*read)(const unsigned char *bytes, size_t size,
		    const struct format_read_options *options, struct profile *p,
		    struct op_error *e);

	/*
	 * NULL: cannot be written. -EINVAL: @p holds what the format has no room for, @e says what.
	 * Errors of @out are the caller's to find (ferror).
	 */
	int (*write)(const struct profile *p, const struct format_write_options *options,
		     FILE *out, struct op_error *e);
};

/* Lists end with NULL. This one: all that need no session, by name. */
extern const struct profile_format *const profile_formats[];

/* Each returns a format or NULL. A file's name may end in several suffixes: the longest counts. */
const struct profile_format *profile_format_by_name(const struct profile_format *const *list,
						    const char *name);
const struct profile_format *profile_format_by_suffix(const struct profile_format *const *list,
						      const char *path);
const struct profile_format *profile_format_find(const char *name);	/* in profile_formats */
const struct profile_format *profile_format_detect(const unsigned char *bytes, size_t size);

/* For --list-formats: a line for each that can be written, or read. */
void profile_formats_print(const struct profile_format *const *list, bool written, FILE *out);

/* All bytes of the file @path ("-": stdin), to be freed by the caller. */
int profile_file_bytes(const char *path, unsigned char **ret, size_t *ret_size,
		       struct op_error *e);

/*
 * Read the profile that these bytes of the file @path are, unpacked if they are gzip. A file is
 * refused as too large when unpacking takes more than 64 times its size and more than 1 MiB [PF-7].
 * @format NULL: detected. *ret is new, to be freed by the caller.
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
