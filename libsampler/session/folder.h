/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.h - check that a session directory is safe, for the library and opsample */
#ifndef LIBSAMPLER_SESSION_FOLDER_H
#define LIBSAMPLER_SESSION_FOLDER_H

#include "libutil/error.h"

/*
 * -EPERM: it, or the link to it, belongs to another user; or other users, or a group that is not
 * ours, may rename files in it. -ENOTDIR, or an error of stat().
 */
int session_folder_check(const char *path, struct op_error *e);

#endif
