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

/* Who may see the memory may see what is made of the copy; without the right it is ours. */
static inline void process_give(uint32_t pid, int fd)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (!fchmod(fd, 0400) && !stat(path, &st))
		(void)!fchown(fd, st.st_uid, st.st_gid);
}

#endif
