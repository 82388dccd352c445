// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask.c - connections to the opener, and requests
 *
 * Each request under way has a connection of its own, to a thread of the opener, so that one that
 * hangs delays no other. A connection is used again when its answer has come. The first message on
 * it is an answer to nothing, for the thread's id.
 */
#include "libutil/opener/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libutil/fd_message.h"
#include "libutil/opener/objects.h"
#include "libutil/opener/registered.h"
#include "libutil/thread.h"

static struct {
	pthread_mutex_t lock;
	int socket;			/* 0: no opener */
	struct connection {
		int fd;
		pid_t tid;		/* of the opener's thread; OPENER_STARTS */
	} idle[OPENER_CONNECTIONS_MAX];
	size_t nr_idle, nr;
	const char *const *removable;
	size_t nr_removable;
} opener;

void opener_use(int socket, const char *const *removable, size_t nr)
{
	lock_init(&opener.lock);
	opener.socket = socket;
	opener.removable = removable;
	opener.nr_removable = nr;
}

bool opener_is_used(void)
{
	return opener.socket;
}

bool opener_is_alive(void)
{
	char byte;

	return !opener.socket || recv(opener.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

/* ---- connections ---- */

static __thread pid_t *noted;

void opener_note_thread(pid_t *tid)
{
	noted = tid;
}

static void note_thread(pid_t tid)
{
	if (noted)
		__atomic_store_n(noted, tid, __ATOMIC_RELAXED);
}

static int connect_new(void)
{
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	err = fd_message_send(opener.socket, "", 1, &ends[1], 1);
	close(ends[1]);
	if (err)
		close(ends[0]);
	return err ? err : ends[0];
}

/* The one that was last used: its thread ran last. -EAGAIN: too many requests are under way. */
static struct connection take_connection(void)
{
	struct connection c = { -EAGAIN, OPENER_STARTS };

	pthread_mutex_lock(&opener.lock);
	if (opener.nr_idle) {
		c = opener.idle[--opener.nr_idle];
	} else if (opener.nr < OPENER_CONNECTIONS_MAX) {
		c.fd = connect_new();
		opener.nr += c.fd >= 0;
	}
	pthread_mutex_unlock(&opener.lock);
	if (c.fd >= 0)
		note_thread(c.tid);
	return c;
}

static void give_back(struct connection c, bool works)
{
	note_thread(0);
	pthread_mutex_lock(&opener.lock);
	if (works) {
		opener.idle[opener.nr_idle++] = c;
	} else {
		close(c.fd);
		opener.nr--;
	}
	pthread_mutex_unlock(&opener.lock);
}

/* ---- requests ---- */

static void close_all(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
}

/* The number of descriptors in @fds, up to @nr, or -errno. */
static int receive(int fd, struct opener_answer *answer, int *fds, size_t nr)
{
	size_t len, got;
	int err = fd_message_receive(fd, answer, sizeof(*answer), &len, fds, nr, &got);

	if (err)
		return err;
	if (len < offsetof(struct opener_answer, results) || answer->nr > OPENER_PIDS_MAX ||
	    len != opener_answer_size(answer)) {
		close_all(fds, got);
		return -EPROTO;
	}
	return (int)got;
}

/* The opener's thread may have to wait for a CPU before it says which it is. */
static int greet(struct connection *c, struct opener_answer *answer)
{
	int none, err = receive(c->fd, answer, &none, 0);

	if (err)
		return err;
	c->tid = answer->tid;
	note_thread(c->tid);
	return 0;
}

/*
 * Send @r with @fd (-1: none), and receive up to @nr descriptors in @fds. Their number, or -errno.
 * -ENOSYS: there is no opener.
 */
static int ask(const struct opener_request *r, int fd, struct opener_answer *answer, int *fds,
	       size_t nr)
{
	struct connection c = { -ENOSYS, 0 };
	int err = 0, got;

	if (opener.socket)
		c = take_connection();
	if (c.fd < 0)
		return c.fd;
	if (c.tid == OPENER_STARTS)
		err = greet(&c, answer);
	if (!err)
		err = fd_message_send(c.fd, r, opener_request_size(r->kind), &fd, fd >= 0);
	got = err ? err : receive(c.fd, answer, fds, nr);
	give_back(c, got >= 0);
	if (got >= 0 && answer->err < 0) {
		close_all(fds, (size_t)got);
		return answer->err;
	}
	return got;
}

/* For one descriptor. */
static int ask_one(const struct opener_request *r, int fd)
{
	struct opener_answer answer;
	int ret, nr = ask(r, fd, &answer, &ret, 1);

	return nr < 0 ? nr : nr == 1 ? ret : -EPROTO;
}

int opener_open(const char *path, int flags)
{
	struct opener_request r;
	bool is_private;
	int fd;

	if (!opener.socket || !opener_parse(path, flags, &r, &is_private)) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (!is_private) {
		fd = open(path, flags | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno != EACCES && errno != EPERM && errno != ENOENT)
			return -errno;
	}
	/* many have ended; of others -ENOENT may mean that they are hidden */
	if (r.kind == OPENER_PROC && kill((pid_t)r.pid, 0) && errno == ESRCH)
		return -ENOENT;
	return ask_one(&r, -1);
}

static int read_link(const char *link, char *target, size_t size)
{
	ssize_t len = readlink(link, target, size - 1);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	return len ? 0 : -ENOENT;
}

/*
 * Reading the link waits for nobody, if it is allowed; and processes of others may be hidden. What
 * was opened says where it was, so that both are of one program.
 */
int opener_program(const char *proc, uint32_t pid, char *path, size_t size, int *handle)
{
	char link[PATH_MAX];
	int err, fd = -1;

	snprintf(link, sizeof(link), "%s/%u/exe", proc, pid);
	err = read_link(link, path, size);
	if (handle || err == -EACCES || err == -EPERM || err == -ENOENT)
		fd = opener_open(link, O_PATH);
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		err = read_link(link, path, size);
	}
	if (handle && !err)
		*handle = fd;
	else if (fd >= 0)
		close(fd);
	return err;
}

FILE *opener_fopen(const char *path)
{
	int fd = opener_open(path, O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

static bool is_asked_about(const char *proc)
{
	return opener.socket && !strcmp(proc, "/proc");
}

void opener_map_files(const char *proc, uint32_t pid, struct opener_mapping *mappings, size_t nr)
{
	struct opener_request r = { .kind = OPENER_MAP_FILES, .pid = pid, .nr = (uint32_t)nr };
	int fds[OPENER_RANGES_MAX], got, next = 0;
	struct opener_answer answer;

	if (!is_asked_about(proc) || (kill((pid_t)pid, 0) && errno == ESRCH)) {
		opener_map_files_here(proc, pid, mappings, nr);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		r.ranges[i].start = mappings[i].start;
		r.ranges[i].end = mappings[i].end;
	}
	got = ask(&r, -1, &answer, fds, nr);
	for (size_t i = 0; i < nr; i++) {
		mappings[i].handle = got < 0 ? got : i < answer.nr ? answer.results[i] : -EPROTO;
		if (got >= 0 && !mappings[i].handle)
			mappings[i].handle = next < got ? fds[next++] : -EPROTO;
	}
}

int opener_path(int root, const char *path, bool below)
{
	struct opener_request r = { .kind = below ? OPENER_BELOW : OPENER_PATH };

	if (strlen(path) >= sizeof(r.path))
		return -ENAMETOOLONG;
	strcpy(r.path, path);
	return ask_one(&r, root);
}

int opener_file(int handle)
{
	return ask_one(&(struct opener_request){ .kind = OPENER_FILE }, handle);
}

int opener_cgroup(int mount, uint64_t id)
{
	if (!opener.socket)
		return opener_cgroup_here(mount, id);
	return ask_one(&(struct opener_request){ .kind = OPENER_CGROUP, .id = id }, mount);
}

int opener_perf_event(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	struct opener_request r = { .kind = OPENER_PERF, .nr = (uint32_t)cpu, .attr = *attr };

	if (!opener.socket || tid != -1)
		return opener_perf_event_here(attr, tid, cpu);
	return ask_one(&r, -1);
}

int opener_give(int fd, uid_t uid, gid_t gid, mode_t mode)
{
	struct opener_request r = { .kind = OPENER_GIVE, .uid = uid, .gid = gid, .mode = mode };
	struct opener_answer answer;
	int none;

	if (!opener.socket)
		return opener_give_here(fd, uid, gid, mode);
	return ask(&r, fd, &answer, &none, 0);
}

int opener_remove(const char *path)
{
	int err = unlink(path) ? -errno : 0, none;
	struct opener_answer answer;

	if (err != -EACCES && err != -EPERM)
		return err;
	for (size_t i = 0; i < opener.nr_removable; i++)
		if (!strcmp(path, opener.removable[i]))
			return ask(&(struct opener_request){ .kind = OPENER_REMOVE,
				   .file = (uint32_t)i }, -1, &answer, &none, 0);
	return err;
}

int opener_list(const char *proc, uint32_t after, uint32_t *pids)
{
	struct opener_answer answer;
	int none, err;

	if (!is_asked_about(proc))
		return opener_list_here(proc, after, pids);
	err = ask(&(struct opener_request){ .kind = OPENER_LIST, .pid = after }, -1, &answer, &none,
		  0);
	if (err < 0)
		return err;
	memcpy(pids, answer.results, answer.nr * sizeof(*pids));
	return (int)answer.nr;
}

int opener_registered(uint32_t pid, const struct registered_place *places, size_t nr)
{
	struct opener_request r = { .kind = OPENER_REGISTERED, .pid = pid, .nr = (uint32_t)nr };

	if (!opener.socket)
		return opener_registered_here(pid, places, nr);
	for (size_t i = 0; i < nr; i++) {
		r.ranges[i].start = places[i].symbol;
		r.ranges[i].end = places[i].types;
	}
	return ask_one(&r, -1);
}

int opener_objects(uint32_t pid, uint32_t number, const uint64_t *objects, size_t nr)
{
	struct opener_request r = { .kind = OPENER_OBJECTS, .pid = pid, .file = number,
				    .nr = (uint32_t)nr };

	if (!opener.socket)
		return opener_objects_here(pid, number, objects, nr);
	for (size_t i = 0; i < nr; i++)
		r.ranges[i].start = objects[i];
	return ask_one(&r, -1);
}
