/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - whole files, folders and paths. Functions return 0 or -errno unless noted. */
#ifndef LIBUTIL_FILE_H
#define LIBUTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read all of @path, which may be a file of /proc, into *ret_text, which is NUL terminated and
 * freed by the caller; *ret_len (may be NULL) does not count the NUL. -EFBIG: more than @limit
 * bytes.
 */
int file_read_all(const char *path, size_t limit, char **ret_text, size_t *ret_len);
int file_read_all_fd(int fd, size_t limit, char **ret_text, size_t *ret_len);

/* Read the file's first line without its newline, truncated to @size - 1 bytes. */
int file_read_line(const char *path, char *buf, size_t size);

/* Read a file that holds one number, as in /sys and oprofilefs. -EINVAL: not a number. */
int file_read_u64(const char *path, uint64_t *ret);

/* Write @text to an existing file (oprofilefs, /proc/sys) by one write(). */
int file_write_existing(const char *path, const char *text);

/* Replace the file @path in one step: readers see all of the old file or all of the new one. */
int file_write_atomic(const char *path, const void *bytes, size_t n, mode_t mode);

/* The same, and after a power failure, too: for what was on the disk long. Waits for the disk. */
int file_write_durable(const char *path, const void *bytes, size_t n, mode_t mode);

/*
 * Files that must be written even when the disk is full: file_reserve() keeps room for @bytes in
 * the file PATH.spare. file_write_reserved() is file_write_atomic(), and uses the spare if the disk
 * is full; if @path existed, its old version becomes the next spare.
 */
int file_reserve(const char *path, size_t bytes);
int file_write_reserved(const char *path, const void *bytes, size_t n, mode_t mode);
void file_give_up_reserve(const char *path);

/* Read up to @n bytes at @offset, fewer only at the end of the file. The position stays. */
int file_read_up_to(int fd, void *buf, size_t n, uint64_t offset, size_t *ret_n);
/* Read exactly @n bytes; -EPROTO: past the end of the file. */
int file_read_at(int fd, void *buf, size_t n, uint64_t offset);

/* The same of what has no offset: call read() until all @n bytes are there. */
int file_read_fd(int fd, void *buf, size_t n);

/* Call write() until everything is written. */
int file_write_fd(int fd, const void *bytes, size_t n);

/*
 * Extend @fd from @old_length to @length bytes. All of the file then has blocks on the disk, and
 * the new part is 0 and in the page cache. On failure (-ENOSPC, -EFBIG, ...) it keeps its length.
 */
int file_allocate(int fd, uint64_t old_length, uint64_t length);

/* mkdir -p; existing folders are fine, -ENOTDIR if another kind of file has that name. */
int file_make_dirs(const char *path, mode_t mode);

/* The same for the folder that @path lies in. */
int file_make_parent_dirs(const char *path, mode_t mode);

/* rm -r without following symbolic links; -ENOENT is not an error. */
int file_remove_tree(const char *path);

/* Bytes that are free on the file system of @path, for other users than root. 0 or -errno. */
int file_free_bytes(const char *path, uint64_t *ret);

bool file_exists(const char *path);
bool file_is_dir(const char *path);

const char *path_base(const char *path);		/* after the last '/' */
char *path_join(const char *dir, const char *name);	/* malloc'd; with one '/' in between */

/*
 * The absolute path without "." and "..", and without symbolic links in the part that exists;
 * malloc'd. NULL: the current folder is unknown.
 */
char *path_absolute(const char *path);

/* Folder of the running program; malloc'd. */
char *path_program_dir(void);

#endif
