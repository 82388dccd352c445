/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuse_server.h - a FUSE file system of one file, whose server answers until it is told not to
 *
 * It speaks the protocol of the kernel itself, in a child process of the test.
 */
#ifndef TESTS_UNIT_FUSE_SERVER_H
#define TESTS_UNIT_FUSE_SERVER_H

#include <errno.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NODE	2
#define REQUEST_MAX	(256 * 1024)

static char *served_file;			/* the file */
static size_t served_size;
/* shared: [0]: answer no more; [1]: requests since then; [2]: the server's process */
static int *mute;

static inline void reply(int dev, const struct fuse_in_header *in, int err, const void *data,
			 size_t n)
{
	static char buf[REQUEST_MAX];
	struct fuse_out_header out = {.len = sizeof(out) + n, .error = err, .unique = in->unique};

	memcpy(buf, &out, sizeof(out));
	if (n)
		memcpy(buf + sizeof(out), data, n);
	(void)!write(dev, buf, out.len);
}

static inline struct fuse_attr attr_of(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_NODE ? served_size : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static inline void reply_read(int dev, const struct fuse_in_header *in,
			      const struct fuse_read_in *r)
{
	size_t n = r->offset < served_size ? served_size - r->offset : 0;

	reply(dev, in, 0, served_file + (n ? r->offset : 0), n < r->size ? n : r->size);
}

/* Timeouts of 0: every later request for the file comes to us. */
static inline void fuse_serve(int dev)
{
	static char request[REQUEST_MAX];
	const struct fuse_in_header *in = (void *)request;
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = 31,
				     .max_write = 4096, .max_readahead = 4096};
	struct fuse_entry_out entry = {.nodeid = FILE_NODE, .attr = attr_of(FILE_NODE)};
	struct fuse_open_out opened = {.open_flags = FOPEN_KEEP_CACHE};
	struct fuse_attr_out attr = {.attr_valid = 0};
	struct fuse_statfs_out fs = {.st = {.namelen = 255, .bsize = 4096}};

	mute[2] = getpid();
	while (read(dev, request, sizeof(request)) > 0) {
		if (*(volatile int *)mute) {
			__atomic_add_fetch(&mute[1], 1, __ATOMIC_RELAXED);
			continue;
		}
		attr.attr = attr_of(in->nodeid);
		if (in->opcode == FUSE_INIT)
			reply(dev, in, 0, &init, sizeof(init));
		else if (in->opcode == FUSE_LOOKUP)
			reply(dev, in, 0, &entry, sizeof(entry));
		else if (in->opcode == FUSE_GETATTR)
			reply(dev, in, 0, &attr, sizeof(attr));
		else if (in->opcode == FUSE_OPEN)
			reply(dev, in, 0, &opened, sizeof(opened));
		else if (in->opcode == FUSE_READ)
			reply_read(dev, in, (void *)(request + sizeof(*in)));
		else if (in->opcode == FUSE_STATFS)
			reply(dev, in, 0, &fs, sizeof(fs));
		else if (in->opcode == FUSE_FLUSH || in->opcode == FUSE_RELEASE)
			reply(dev, in, 0, NULL, 0);
		else if (in->opcode != FUSE_FORGET && in->opcode != FUSE_BATCH_FORGET)
			reply(dev, in, -ENOSYS, NULL, 0);
	}
	_exit(0);
}

#endif
