/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - whole files, folders and paths. All return 0 or -errno unless said otherwise. */
#ifndef LIBUTIL_FILE_H
#define LIBUTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read all of @path (a /proc file too) into *ret_text, NUL terminated, the caller's to
 * free(); *ret_len (may be NULL) does not count the NUL. -EFBIG past @limit bytes.
 */
int file_read_all(const char *path, size_t limit, char **ret_text, size_t *ret_len);
int file_read_all_fd(int fd, size_t limit, char **ret_text, size_t *ret_len);

/* The file's first line without its newline, cut to @size - 1 bytes. */
int file_read_line(const char *path, char *buf, size_t size);

/* A file holding one number, such as those of /sys and oprofilefs. -EINVAL: it holds none. */
int file_read_u64(const char *path, uint64_t *ret);

/* One write() of @text to an existing file (oprofilefs, /proc/sys). */
int file_write_existing(const char *path, const char *text);

/* Replace @path by @text in one step: readers see the old file or the new one, whole. */
int file_write_atomic(const char *path, const void *bytes, size_t n, mode_t mode);

/*
 * For what must be written even when the disk is full: room for @bytes of it, kept in the file
 * PATH.spare, which file_write_reserved() falls back on; else that is file_write_atomic(). It
 * lasts if @path was there already: old version and spare then change places.
 */
int file_reserve(const char *path, size_t bytes);
int file_write_reserved(const char *path, const void *bytes, size_t n, mode_t mode);
void file_give_up_reserve(const char *path);

/* Up to @n bytes at @offset, fewer only where the file ends. The position stays. */
int file_read_up_to(int fd, void *buf, size_t n, uint64_t offset, size_t *ret_n);
/* Exactly @n; -EPROTO: the file ends before. */
int file_read_at(int fd, void *buf, size_t n, uint64_t offset);

/* write() until all is written. */
int file_write_fd(int fd, const void *bytes, size_t n);

/*
 * Give @fd, which has @old_length bytes, @length that are really there: all of it has blocks on the
 * disk, what is new is 0 and in memory. -ENOSPC, -EFBIG, ...: it is as it was.
 */
int file_allocate(int fd, uint64_t old_length, uint64_t length);

/* mkdir -p; existing folders are fine, -ENOTDIR if something else is in the way. */
int file_make_dirs(const char *path, mode_t mode);

/* The same for the folder that @path lies in. */
int file_make_parent_dirs(const char *path, mode_t mode);

/* rm -r without following symbolic links; -ENOENT is not an error. */
int file_remove_tree(const char *path);

bool file_exists(const char *path);
bool file_is_dir(const char *path);

const char *path_base(const char *path);		/* after the last '/' */
char *path_join(const char *dir, const char *name);	/* malloc'd; one '/' in between */

/* Without ".", ".." and symbolic links as far as it exists, and absolute; malloc'd, or NULL. */
char *path_absolute(const char *path);

/* Folder of the running program; malloc'd. */
char *path_program_dir(void);

#endif
