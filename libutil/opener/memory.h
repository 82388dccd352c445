/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - what copies of another process's memory need; for the opener, or without one */
#ifndef LIBUTIL_OPENER_MEMORY_H
#define LIBUTIL_OPENER_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* All @n bytes, or -errno. Blocks while that memory does. */
static inline int process_read(uint32_t pid, uint64_t address, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)address, n };
	ssize_t got = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

	return got < 0 ? -errno : (size_t)got == n ? 0 : -EFAULT;
}

/* Whose that is; inode 0: unknown. */
static inline struct stat process_owner(uint32_t pid)
{
	struct stat st = { .st_ino = 0 };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? (struct stat){ .st_ino = 0 } : st;
}

/*
 * Who may see the memory may see what is made of the copy: give it to @before, the owner before it
 * was made, unless the number is another process's by now, or its rights have changed. Then, and
 * without the right to give it, it is ours.
 */
static inline void process_give(uint32_t pid, int fd, const struct stat *before)
{
	const struct stat now = process_owner(pid);

	if (!fchmod(fd, 0400) && now.st_ino && now.st_ino == before->st_ino &&
	    now.st_uid == before->st_uid && now.st_gid == before->st_gid)
		(void)!fchown(fd, now.st_uid, now.st_gid);
}

#endif
