/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.h - may a session be written below a folder? For the library and opsample. */
#ifndef LIBSAMPLER_SESSION_FOLDER_H
#define LIBSAMPLER_SESSION_FOLDER_H

#include "libutil/error.h"

/*
 * -EPERM: it, or the link to it, is another user's; or others than its group, or a group that is
 * not ours, may rename what is in it. -ENOTDIR, or why it cannot be looked at.
 */
int session_folder_check(const char *path, struct op_error *e);

#endif
