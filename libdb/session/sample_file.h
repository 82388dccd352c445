/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_file.h - create and open the sample files of a session
 *
 * For all writers of sessions: the daemon, and through writer.h libsampler and opimport.
 */
#ifndef LIBDB_SESSION_SAMPLE_FILE_H
#define LIBDB_SESSION_SAMPLE_FILE_H

#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

/*
 * Append the path of the file called @name to @path. @folder is the session's samples, or a part's
 * (session_part_path()). -EINVAL: invalid name, see sample_name_format().
 */
int sample_file_path(const char *folder, const struct sample_name *name, struct strbuf *path);

/* The fields of the header that follow from @name; the others are 0. */
struct sample_header sample_file_header(const struct sample_name *name);

/*
 * Open the sample file @path for adding: odb_open(). A new one is created with its folders and
 * @header; an existing file keeps its own (odb_is_new()).
 */
int sample_file_open(const char *path, const struct sample_header *header, struct odb **ret,
		     struct op_error *e);

#endif
