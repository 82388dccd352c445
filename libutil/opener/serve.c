// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve.c - check requests, and open files
 *
 * A thread for each connection, because any request may hang: at a process's memory that is locked,
 * or a network file system without its server. Each has a table of descriptors of its own: such a
 * call may outlive a SIGKILL, and would keep the sockets open by which the end of this process is
 * noticed. So /proc/self/fd, the main thread's, is not theirs.
 */
#include "libutil/opener/serve.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libutil/fd_message.h"
#include "libutil/file.h"
#include "libutil/opener/ask.h"
#include "libutil/opener/objects.h"
#include "libutil/opener/registered.h"
#include "libutil/priority.h"
#include "libutil/quiet_path.h"
#include "libutil/sandbox/sandbox.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"

#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC	0x63677270
#endif

#define ELF_TYPE_END	18		/* bytes up to the end of e_type */

struct connection {
	int socket;
	const struct opener_config *config;
	sem_t *has_begun;
	bool *has_own;			/* descriptors; known once it has begun */
};

struct exchange {
	struct opener_request request;
	int fd;				/* that came with it, or -1 */
	struct opener_answer answer;
	int fds[OPENER_RANGES_MAX];	/* that go with the answer */
	size_t nr_fds;
};

static unsigned int nr_connections;	/* atomic */

/* ---- checks ---- */

static bool is_terminated(const char *path)
{
	return memchr(path, '\0', PATH_MAX);
}

static bool is_folder(const struct stat *st)
{
	return S_ISDIR(st->st_mode);
}

/* A handle of a folder would lead to all files below it that everybody may read. */
static int check_handle(const struct opener_config *config, const char *path, int handle)
{
	struct stat st;

	if (quiet_stat(handle, &st))
		return -EACCES;
	if (is_folder(&st))
		return config->is_symbol_folder(path, &st) ? 0 : -EACCES;
	return S_ISREG(st.st_mode) ? 0 : -EACCES;
}

/* A program, library or object, not the dump of a process's memory. */
static bool is_executable(int fd)
{
	unsigned char head[ELF_TYPE_END];
	unsigned int type;

	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || memcmp(head, ELFMAG, SELFMAG))
		return false;
	type = head[EI_DATA] == ELFDATA2MSB ? head[16] << 8 | head[17] : head[17] << 8 | head[16];
	return type == ET_REL || type == ET_EXEC || type == ET_DYN;
}

/* Files of /proc may have the memory of a process, or the kernel's. */
static bool is_of_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) || fs.f_type == PROC_SUPER_MAGIC;
}

/* Another file may be mounted at a user's file, in a namespace of his, and so has its name. */
static bool is_mounted(int fd)
{
	struct statx st;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st) ||
	       !(st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* The file has one name, or a user could give one of another's file such a name. */
static bool is_symbol_file(const struct opener_config *config, int fd)
{
	static const char deleted[] = " (deleted)";
	char link[48], path[PATH_MAX + sizeof(deleted)], *name;
	struct stat st;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0 || quiet_stat(fd, &st) || st.st_nlink > 1 || is_mounted(fd))
		return false;
	path[len] = '\0';
	name = strrchr(path, '/');
	if (!name)
		return false;
	len = (ssize_t)(strlen(name) - strlen(deleted));
	if (len > 0 && !strcmp(name + len, deleted))
		name[len] = '\0';
	return config->is_symbol_file(name + 1);
}

/* ---- what is done ---- */

static int open_named(const struct opener_request *r)
{
	char path[PATH_MAX];
	int flags, fd;

	if (!opener_format(r, path, &flags))
		return -EINVAL;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_path(const struct opener_config *config, const struct exchange *x)
{
	const char *path = x->request.path;
	bool below = x->request.kind == OPENER_BELOW;
	int handle, err;

	if (!is_terminated(path) || (below ? x->fd < 0 || !config->is_symbol_file(path_base(path)) :
					     path[0] != '/'))
		return -EINVAL;
	handle = below ? quiet_open_below(x->fd, path) :
			 quiet_open(x->fd < 0 ? AT_FDCWD : x->fd, path);
	if (handle < 0)
		return handle;
	err = check_handle(config, path, handle);
	if (err)
		close(handle);
	return err ? err : handle;
}

static int open_file(const struct opener_config *config, int handle)
{
	char self[64];
	struct stat st;
	int fd;

	if (handle < 0 || quiet_stat(handle, &st) || !S_ISREG(st.st_mode) || is_of_proc(handle))
		return -EINVAL;
	snprintf(self, sizeof(self), "/proc/thread-self/fd/%d", handle);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_executable(fd) || is_symbol_file(config, fd))
		return fd;
	close(fd);
	return -EACCES;
}

static int open_cgroup(const struct exchange *x)
{
	struct statfs fs;

	if (x->fd < 0 || fstatfs(x->fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EINVAL;
	return opener_cgroup_here(x->fd, x->request.id);
}

/* Of events at chosen instructions, which would tell what is in registers there. */
static bool is_probe(uint32_t type)
{
	static const char *const files[] = {
		"/sys/bus/event_source/devices/kprobe/type",
		"/sys/bus/event_source/devices/uprobe/type",
	};
	uint64_t number;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!file_read_u64(files[i], &number) && number == type)
			return true;
	return type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT;
}

/* All processes' events, but none that has more than registers and stacks of what runs. */
static int open_event(const struct opener_request *r)
{
	struct perf_event_attr attr = r->attr;

	if (attr.size > sizeof(attr) || is_probe(attr.type) || r->nr > INT_MAX)
		return -EINVAL;
	return opener_perf_event_here(&attr, -1, (int)r->nr);
}

/* A file that the program wrote, and that nobody can execute or trusts as root's. */
static int give(const struct opener_config *config, const struct exchange *x)
{
	const struct opener_request *r = &x->request;
	struct stat st;

	if (x->fd < 0 || fstat(x->fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != config->uid || (fcntl(x->fd, F_GETFL) & O_ACCMODE) == O_RDONLY ||
	    (r->mode & ~0666u) || r->uid == (uid_t)-1 || r->gid == (gid_t)-1)
		return -EINVAL;
	if (!r->uid && config->uid)
		return -EPERM;
	return opener_give_here(x->fd, r->uid, r->gid, r->mode);
}

static int remove_file(const struct opener_config *config, uint32_t file)
{
	if (file >= config->nr_removable)
		return -EINVAL;
	return unlink(config->removable[file]) ? -errno : 0;
}

static int list(struct opener_answer *answer, uint32_t after)
{
	uint32_t pids[OPENER_PIDS_MAX];
	int nr = opener_list_here("/proc", after, pids);

	if (nr < 0)
		return nr;
	memcpy(answer->results, pids, (size_t)nr * sizeof(*pids));
	answer->nr = (uint32_t)nr;
	return 0;
}

static int map_files(struct exchange *x)
{
	const struct opener_request *r = &x->request;
	struct opener_mapping mappings[OPENER_RANGES_MAX];

	if (!r->pid || r->pid > INT_MAX || r->nr > OPENER_RANGES_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < r->nr; i++)
		mappings[i] = (struct opener_mapping){ r->ranges[i].start, r->ranges[i].end, -1 };
	opener_map_files_here("/proc", r->pid, mappings, r->nr);
	for (uint32_t i = 0; i < r->nr; i++) {
		x->answer.results[i] = mappings[i].handle < 0 ? mappings[i].handle : 0;
		if (mappings[i].handle >= 0)
			x->fds[x->nr_fds++] = mappings[i].handle;
	}
	x->answer.nr = r->nr;
	return 0;
}

static int copy_registered(const struct opener_request *r)
{
	struct registered_place places[REGISTERED_LISTS_MAX];

	if (!r->pid || r->pid > INT_MAX || r->nr > REGISTERED_LISTS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < r->nr; i++)
		places[i] = (struct registered_place){ r->ranges[i].start, r->ranges[i].end };
	return opener_registered_here(r->pid, places, r->nr);
}

static int copy_objects(const struct opener_request *r)
{
	uint64_t objects[OBJECTS_MAX];

	if (!r->pid || r->pid > INT_MAX || r->nr > OBJECTS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < r->nr; i++)
		objects[i] = r->ranges[i].start;
	return opener_objects_here(r->pid, r->file, objects, r->nr);
}

/* A descriptor, or -errno. */
static int open_one(const struct opener_config *config, const struct exchange *x)
{
	switch (x->request.kind) {
	case OPENER_PROC:
	case OPENER_KERNEL:
	case OPENER_MODULE:
		return open_named(&x->request);
	case OPENER_PATH:
	case OPENER_BELOW:
		return open_path(config, x);
	case OPENER_FILE:
		return open_file(config, x->fd);
	case OPENER_CGROUP:
		return open_cgroup(x);
	case OPENER_PERF:
		return open_event(&x->request);
	case OPENER_REGISTERED:
		return copy_registered(&x->request);
	case OPENER_OBJECTS:
		return copy_objects(&x->request);
	default:
		return -EINVAL;
	}
}

static void serve(const struct opener_config *config, struct exchange *x)
{
	int fd;

	switch (x->request.kind) {
	case OPENER_MAP_FILES:
		x->answer.err = map_files(x);
		return;
	case OPENER_GIVE:
		x->answer.err = give(config, x);
		return;
	case OPENER_REMOVE:
		x->answer.err = remove_file(config, x->request.file);
		return;
	case OPENER_LIST:
		x->answer.err = list(&x->answer, x->request.pid);
		return;
	}
	fd = open_one(config, x);
	x->answer.err = fd < 0 ? fd : 0;
	if (fd >= 0)
		x->fds[x->nr_fds++] = fd;
}

/* ---- connections ---- */

/* Receive one, answer it. False: the connection has ended. */
static bool answer_one(const struct connection *c, struct exchange *x)
{
	size_t len, nr_in;
	int err = fd_message_receive(c->socket, &x->request, sizeof(x->request), &len, &x->fd, 1,
				     &nr_in);

	if (err && err != -EMSGSIZE && err != -EMFILE)
		return false;
	if (err || !nr_in)
		x->fd = -1;
	x->nr_fds = 0;
	x->answer.nr = 0;
	if (err || len < sizeof(x->request.kind) ||
	    len != opener_request_size(x->request.kind))
		x->answer.err = -EINVAL;
	else
		serve(c->config, x);
	err = fd_message_send(c->socket, &x->answer, opener_answer_size(&x->answer), x->fds,
			      x->nr_fds);
	for (size_t i = 0; i < x->nr_fds; i++)
		close(x->fds[i]);
	if (x->fd >= 0)
		close(x->fd);
	return !err;
}

static void *serve_connection(void *connection)
{
	struct connection *c = connection;
	struct exchange *x = xcalloc(1, sizeof(*x));
	bool has_own = !unshare(CLONE_FILES);	/* a container may refuse it */

	(void)priority_raise_nice();		/* samples wait meanwhile */
	if (has_own)
		sandbox_close_others(&c->socket, 1);
	*c->has_own = has_own;
	sem_post(c->has_begun);
	x->answer.tid = (int32_t)gettid();
	if (!fd_message_send(c->socket, &x->answer, opener_answer_size(&x->answer), NULL, 0))
		while (answer_one(c, x))
			;
	close(c->socket);
	free(x);
	free(c);
	__atomic_sub_fetch(&nr_connections, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void take_connection(int socket, const struct opener_config *config)
{
	struct connection *c = xcalloc(1, sizeof(*c));
	bool has_own = true;
	pthread_t thread;
	sem_t has_begun;

	sem_init(&has_begun, 0, 0);
	*c = (struct connection){ socket, config, &has_begun, &has_own };
	if (__atomic_add_fetch(&nr_connections, 1, __ATOMIC_RELAXED) <= OPENER_CONNECTIONS_MAX &&
	    !thread_start(&thread, serve_connection, c)) {
		pthread_detach(thread);
		while (sem_wait(&has_begun))
			;
	} else {
		__atomic_sub_fetch(&nr_connections, 1, __ATOMIC_RELAXED);
		free(c);
	}
	sem_destroy(&has_begun);
	if (has_own)
		close(socket);		/* else the thread closes it */
}

void opener_serve(int socket, const struct opener_config *config)
{
	size_t len, nr;
	int fd, err;
	char byte;

	(void)priority_raise_nice();
	do {
		nr = 0;
		err = fd_message_receive(socket, &byte, 1, &len, &fd, 1, &nr);
		if (!err && nr)
			take_connection(fd, config);
	} while (!err || err == -EMSGSIZE || err == -EMFILE);
}
