/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set_aside.h - make room for a new file where a broken one is
 *
 * Damage done to a file of the session must not cost the samples to come. The broken file is kept
 * under another name, for whoever can repair it.
 */
#ifndef DAEMON_RECORD_SET_ASIDE_H
#define DAEMON_RECORD_SET_ASIDE_H

/*
 * Rename the file or folder @path to "@path.brokenN", N from 1 to 9. 0: *ret_name is its new name
 * without the folder, malloc'd. -EEXIST: all these names are taken.
 */
int set_aside(const char *path, char **ret_name);

#endif
