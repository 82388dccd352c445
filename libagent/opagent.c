// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opagent.c - write records to the dump of this process: the interface of libopagent
 *
 * The profiler may read while we write, so each record is written under flock(), and a record that
 * does not fit on the disk is removed again. All agents of a process are one, under one mutex.
 */
#define PACKAGE "opagent"		/* required by bfd.h */
#include <bfd.h>
#undef PACKAGE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "libagent/dump_folder.h"
#include "libagent/jit_dump.h"
#include "libagent/opagent.h"

#if defined(__x86_64__)
#define TARGET		"elf64-x86-64"
#define ARCHITECTURE	bfd_arch_i386
#define MACHINE		bfd_mach_x86_64
#elif defined(__aarch64__)
#define TARGET		"elf64-littleaarch64"
#define ARCHITECTURE	bfd_arch_aarch64
#define MACHINE		bfd_mach_aarch64
#else
#define TARGET		""
#define ARCHITECTURE	bfd_arch_unknown
#define MACHINE		0
#endif

#define PUBLIC		__attribute__((visibility("default")))
#define PARTS_MAX	8		/* of a record */

/* One file per process, no matter how often it is opened. */
static struct agent {
	unsigned int users;
	pid_t pid;			/* owner of the file; in a child, the parent */
	int fd;
	off_t size;			/* of all complete records */
} agent = { .fd = -1 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* No thread may hold the mutex at fork(): the child has no thread that could unlock it. */
static void lock(void)
{
	pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void register_fork_handlers(void)
{
	pthread_atfork(lock, unlock, unlock);
}

/* --- writing: with the mutex held; 0 or -errno --- */

static int write_parts(struct iovec *parts, int nr)
{
	while (nr) {
		ssize_t n = writev(agent.fd, parts, nr);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		for (; nr && (size_t)n >= parts->iov_len; parts++, nr--)
			n -= (ssize_t)parts->iov_len;
		if (nr) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int write_locked(struct iovec *parts, int nr)
{
	off_t size = 0;
	int err;

	for (int i = 0; i < nr; i++)
		size += (off_t)parts[i].iov_len;
	while (flock(agent.fd, LOCK_EX))
		if (errno != EINTR)
			return -errno;
	err = lseek(agent.fd, agent.size, SEEK_SET) < 0 ? -errno : write_parts(parts, nr);
	if (!err)
		agent.size += size;
	else
		(void)!ftruncate(agent.fd, agent.size);
	flock(agent.fd, LOCK_UN);
	return err;
}

static int write_header(void)
{
	static const char target[(sizeof(TARGET) + 7) & ~7] = TARGET;
	struct jit_dump_header h = {
		.magic = JIT_DUMP_MAGIC,
		.version = JIT_DUMP_VERSION,
		.size = sizeof(h) + sizeof(target),
		.architecture = ARCHITECTURE,
		.machine = MACHINE,
		.timestamp = (uint64_t)time(NULL),
	};
	struct iovec parts[] = { { &h, sizeof(h) }, { (char *)target, sizeof(target) } };

	return write_locked(parts, 2);
}

/* Write the record @id of @parts. parts[0] is reserved for its head, parts[nr] for padding. */
static int write_record(enum jit_dump_id id, struct iovec *parts, int nr)
{
	static const char zeros[8];
	struct jit_dump_record head = { .id = id, .timestamp = (uint64_t)time(NULL) };
	uint64_t size = sizeof(head);

	for (int i = 1; i < nr; i++)
		size += parts[i].iov_len;
	if (JIT_DUMP_ALIGN(size) > UINT32_MAX)
		return -EFBIG;
	head.size = (uint32_t)JIT_DUMP_ALIGN(size);
	parts[0] = (struct iovec){ &head, sizeof(head) };
	parts[nr] = (struct iovec){ (char *)zeros, head.size - size };
	return write_locked(parts, nr + 1);
}

/* The code that the parent reported before fork() exists in the child, too. */
static int copy_records(int from, off_t size)
{
	char buffer[16384];

	for (off_t at = 0; at < size;) {
		size_t want = size - at < (off_t)sizeof(buffer) ? (size_t)(size - at) :
								  sizeof(buffer);
		ssize_t n = pread(from, buffer, want, at);
		struct iovec part = { buffer, n > 0 ? (size_t)n : 0 };
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		err = write_parts(&part, 1);
		if (err)
			return err;
		at += n;
	}
	return 0;
}

/* After fork() the child gets a file of its own. */
static int follow_fork(void)
{
	int parent_fd = agent.fd, fd, err;

	if (agent.pid == getpid())
		return 0;
	fd = dump_folder_create(getpid());
	if (fd < 0)
		return fd;
	agent.fd = fd;
	err = copy_records(parent_fd, agent.size);
	if (err) {
		agent.fd = parent_fd;
		close(fd);
		return err;
	}
	close(parent_fd);
	agent.pid = getpid();
	return 0;
}

static int open_file(void)
{
	int fd = dump_folder_create(getpid()), err;

	if (fd < 0)
		return fd;
	agent.fd = fd;
	agent.pid = getpid();
	agent.size = 0;
	err = write_header();
	if (err) {
		close(agent.fd);
		agent.fd = -1;
	}
	return err;
}

/* Convert 0 or -errno to 0 or -1 with errno set. */
static int return_status(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

/* Write a record for the handle @of. */
static int write_record_of(op_agent_t of, enum jit_dump_id id, struct iovec *parts, int nr)
{
	int err;

	lock();
	err = of != &agent || !agent.users ? -EINVAL : follow_fork();
	if (!err)
		err = write_record(id, parts, nr);
	unlock();
	return return_status(err);
}

/* --- the interface --- */

PUBLIC op_agent_t op_open_agent(void)
{
	int err = 0;

	lock();
	if (!agent.users)
		err = open_file();
	if (!err)
		agent.users++;
	unlock();
	return return_status(err) ? NULL : &agent;
}

PUBLIC int op_close_agent(op_agent_t of)
{
	struct iovec parts[PARTS_MAX];
	int err = 0;

	lock();
	if (of != &agent || !agent.users)
		err = -EINVAL;
	else if (!--agent.users) {
		if (agent.pid == getpid())	/* a child without records has no file */
			err = write_record(JIT_DUMP_CLOSE, parts, 1);
		close(agent.fd);
		agent.fd = -1;
	}
	unlock();
	return return_status(err);
}

PUBLIC int op_write_native_code(op_agent_t of, const char *symbol_name, uint64_t vma,
				const void *code, unsigned int size)
{
	struct jit_dump_load load = { .vma = vma, .address = (uintptr_t)code, .size = size };
	struct iovec parts[PARTS_MAX] = { [1] = { &load, sizeof(load) } };
	int nr = 3;

	if (!symbol_name || !*symbol_name || !size)
		return return_status(-EINVAL);
	parts[2] = (struct iovec){ (char *)symbol_name, strlen(symbol_name) + 1 };
	if (code)
		parts[nr++] = (struct iovec){ (void *)code, size };
	return write_record_of(of, JIT_DUMP_LOAD, parts, nr);
}

/* Entries have no padding, so they are packed here. NULL: out of memory. */
static char *pack_lines(const struct debug_line_info *map, size_t nr, size_t *ret_size)
{
	size_t size = 0;
	char *all, *p;

	for (size_t i = 0; i < nr; i++)
		size += sizeof(map->vma) + sizeof(map->lineno) + strlen(map[i].filename) + 1;
	all = p = malloc(size + 1);
	for (size_t i = 0; all && i < nr; i++) {
		p = mempcpy(p, &map[i].vma, sizeof(map->vma));
		p = mempcpy(p, &map[i].lineno, sizeof(map->lineno));
		p = stpcpy(p, map[i].filename) + 1;
	}
	*ret_size = size;
	return all;
}

PUBLIC int op_write_debug_line_info(op_agent_t of, const void *code, size_t nr_entry,
				    const struct debug_line_info *compile_map)
{
	struct jit_dump_lines lines = { .address = (uintptr_t)code, .nr = (uint32_t)nr_entry };
	struct iovec parts[PARTS_MAX] = { [1] = { &lines, sizeof(lines) } };
	size_t size;
	char *packed;
	int status;

	if (!code || nr_entry > UINT32_MAX || (nr_entry && !compile_map))
		return return_status(-EINVAL);
	for (size_t i = 0; i < nr_entry; i++)
		if (!compile_map[i].filename)
			return return_status(-EINVAL);
	packed = pack_lines(compile_map, nr_entry, &size);
	if (!packed)
		return return_status(-ENOMEM);
	parts[2] = (struct iovec){ packed, size };
	status = write_record_of(of, JIT_DUMP_LINES, parts, 3);
	free(packed);
	return status;
}

PUBLIC int op_unload_native_code(op_agent_t of, uint64_t vma)
{
	struct jit_dump_unload unload = { .vma = vma };
	struct iovec parts[PARTS_MAX] = { [1] = { &unload, sizeof(unload) } };

	return write_record_of(of, JIT_DUMP_UNLOAD, parts, 2);
}

PUBLIC int op_major_version(void)
{
	return 1;
}

PUBLIC int op_minor_version(void)
{
	return 0;
}
