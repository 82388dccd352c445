// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device.c - the kernel module as a collector, through /dev/oprofile
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "daemon/collect/module/device.h"
#include "daemon/collect/module/device_ibs.h"
#include "libutil/errand.h"
#include "libutil/file.h"
#include "libutil/list.h"
#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

#define READ_WORDS	65536		/* words read at once */
#define READS_MAX	64		/* of a drain without flush */
#define PATH_FIRST	512		/* bytes tried first for a cookie's path */
#define PATH_LIMIT	65536
#define BUSY_MS		1000		/* how long to wait for another reader to close */

struct device {
	struct collector collector;
	const char *mount;
	bool by_time, ibs;		/* as configured when it was opened */
	int fd;				/* "buffer"; -1: closed */
	char cpu_type[48];		/* as configured */
	op_word *words;			/* READ_WORDS */
};

static struct device *of(struct collector *c)
{
	return container_of(c, struct device, collector);
}

/* Files of the mounted file system */

static char *path_of(const struct device *d, const char *file)
{
	return path_join(d->mount, file);
}

static int read_number(const struct device *d, const char *file, uint64_t *ret)
{
	char *path = path_of(d, file);
	int err = file_read_u64(path, ret);

	free(path);
	return err;
}

static int write_text(const struct device *d, const char *file, const char *text)
{
	char *path = path_of(d, file);
	int err = file_write_existing(path, text);

	free(path);
	return err;
}

/* Setting up */

static int check_module(const struct device *d, struct op_error *e)
{
	uint64_t version, size;
	char *buffer = path_of(d, "buffer");
	bool there = file_exists(buffer);
	int err;

	free(buffer);
	if (!there)
		return op_error_set(e, -ENODEV,
				    "the oprofile module is not loaded or '%s' is not mounted; run "
				    "opcontrol --init or use --collector=perf",
				    d->mount);
	err = read_number(d, "abi_version", &version);
	if (err == -EACCES || err == -EPERM)
		return op_error_set(e, err, "cannot read '%s': %s; run oprofiled as root", d->mount,
				    strerror(-err));
	if (err || version != OP_ABI_VERSION)
		return op_error_set(e, -EPROTO,
				    "the loaded oprofile module has interface version %" PRIu64
				    ", expected %d; unload it (opcontrol --deinit) and load the "
				    "one built with this program",
				    err ? 0 : version, OP_ABI_VERSION);
	err = read_number(d, "pointer_size", &size);
	if (err || size != sizeof(op_word))
		return op_error_set(e, -EPROTO, "'%s/pointer_size': expected %zu", d->mount,
				    sizeof(op_word));
	return 0;
}

/* A daemon that was just killed may have released its lock but not yet the buffer. */
static int open_buffer_soon(const char *path)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000000 };

	for (int ms = 0;; ms += 10) {
		int fd = opener_open(path, O_RDONLY | O_NONBLOCK);

		if (fd != -EBUSY || ms >= BUSY_MS)
			return fd;
		nanosleep(&pause, NULL);
	}
}

static int open_buffer(struct device *d, struct op_error *e)
{
	char *path = path_of(d, "buffer"), why[200];
	int err;

	d->fd = open_buffer_soon(path);
	err = d->fd < 0 ? d->fd : 0;
	if (err)
		d->fd = -1;
	free(path);
	switch (err) {
	case 0:
		return 0;
	case -EBUSY:
		return op_error_set(
			e, err,
			"the oprofile module's buffer is in use; is another oprofiled running "
			"with a different --session-dir?");
	case -EPERM:
	case -EACCES:
		return op_error_set(
			e, err,
			"no permission to open the oprofile module's buffer; run as root or "
			"with CAP_PERFMON");
	case -EINVAL:
		return op_error_set(
			e, err,
			"the oprofile module rejects its settings; buffer_watershed must be less "
			"than buffer_size");
	case -ENODEV:	/* [FS-33] */
		device_models_reason(d->mount, d->ibs, why, sizeof(why));
		return op_error_set(e, err, "the oprofile module cannot sample: %s", why);
	case -EDOM:
		device_models_reason(d->mount, d->ibs, why, sizeof(why));
		return op_error_set(e, err, "the oprofile module cannot count these events: %s",
				    why);
	default:
		return op_error_set(e, err, "cannot open '%s/buffer': %s", d->mount,
				    strerror(-err));
	}
}

static int device_open(struct collector *c, const struct collector_config *config,
		       struct op_error *e)
{
	struct device *d = of(c);
	int err = check_module(d, e);

	d->by_time = collects_by_time(config);
	d->ibs = config->ibs;
	snprintf(d->cpu_type, sizeof(d->cpu_type), "%s", d->by_time ? "timer" : config->cpu_type);
	if (!err)
		err = device_write_events(d->mount, config, e);
	if (!err)
		err = device_set_ibs(d->mount, config->ibs, e);
	if (!err)
		err = open_buffer(d, e);
	if (!err)
		d->words = xmalloc(READ_WORDS * sizeof(*d->words));
	return err;
}

static void device_close(struct collector *c)
{
	struct device *d = of(c);

	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	free(d->words);
	d->words = NULL;
}

static int set_enable(struct device *d, const char *value, struct op_error *e)
{
	int err = write_text(d, "enable", value);

	if (err)
		return op_error_set(e, err, "cannot write %s to '%s/enable': %s", value, d->mount,
				    strerror(-err));
	return 0;
}

static int device_start(struct collector *c, struct op_error *e)
{
	return set_enable(of(c), "1", e);
}

static int device_stop(struct collector *c, struct op_error *e)
{
	return set_enable(of(c), "0", e);
}

/* Words */

static int device_poll_fd(struct collector *c)
{
	return of(c)->fd;
}

/* The module returns whole words only. 0: no words wait. */
static ssize_t read_words(struct device *d, struct op_error *e)
{
	ssize_t n;

	do
		n = read(d->fd, d->words, READ_WORDS * sizeof(*d->words));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		return op_error_set(e, -errno, "cannot read '%s/buffer': %s", d->mount,
				    strerror(errno));
	return n / (ssize_t)sizeof(*d->words);
}

/* A write to "dump" returns when all rings have been drained into the buffer. */
static int device_drain(struct collector *c, bool flush, words_fn *words, void *context,
			struct op_error *e)
{
	struct device *d = of(c);
	int err = flush ? write_text(d, "dump", "1") : 0;
	ssize_t n = 0;

	if (err)
		return op_error_set(e, err, "cannot write to '%s/dump': %s", d->mount,
				    strerror(-err));
	for (int i = 0; flush || i < READS_MAX; i++) {
		n = read_words(d, e);
		if (n <= 0)
			break;
		words(context, d->words, n);
	}
	return n < 0 ? n : 0;
}

/* Cookies */

/* The kernel appends " (deleted)" to the file's name. */
static void strip_deleted(char *path)
{
	static const char suffix[] = " (deleted)";
	size_t len = strlen(path), suffix_len = sizeof(suffix) - 1;

	if (len > suffix_len && !strcmp(path + len - suffix_len, suffix))
		path[len - suffix_len] = '\0';
}

static int device_cookie_path(struct collector *c, op_word cookie, char **ret_path)
{
	struct device *d = of(c);
	struct op_cookie_path ask = { .cookie = cookie, .len = PATH_FIRST };
	char *path;

	for (;;) {
		op_word room = ask.len;
		int err = 0;

		if (room > PATH_LIMIT)
			return -ENAMETOOLONG;
		path = xmalloc(room);
		ask.buf = (uintptr_t)path;
		if (ioctl(d->fd, OP_IOC_COOKIE_PATH, &ask) < 0)
			err = -errno;
		else if (!ask.len || ask.len > room || path[ask.len - 1])
			err = -EPROTO;
		if (!err)
			break;
		free(path);
		if (err != -ENAMETOOLONG || ask.len <= room)
			return err;
	}
	strip_deleted(path);
	*ret_path = path;
	return 0;
}

struct opening {
	struct errand errand;
	op_word cookie;
};

static int open_cookie(struct errand *errand)
{
	struct opening *o = (struct opening *)errand;

	errand->opened = ioctl(errand->fd, OP_IOC_COOKIE_FD, &o->cookie);
	return errand->opened < 0 ? -errno : 0;
}

/* The module opens the file, whose file system may hang. */
static int device_cookie_fd(struct collector *c, op_word cookie)
{
	struct opening o = {
		.errand = { .run = open_cookie, .place = cookie, .fd = of(c)->fd },
		.cookie = cookie,
	};
	int err = errand_run(&o.errand, sizeof(o));

	return err ? err : o.errand.opened;
}

static int device_cookie_build_id(struct collector *c, op_word cookie, unsigned char *id,
				  size_t *len)
{
	(void)c, (void)cookie, (void)id, (void)len;
	return -ENODATA;	/* read it from the file */
}

static int device_unwind_table(struct collector *c, op_word cookie, op_word same_as,
			       const void *blob, size_t len)
{
	struct op_unwind_push push = { .cookie = cookie, .same_as = same_as };

	if (same_as == OP_NO_COOKIE) {
		push.data = (uintptr_t)blob;
		push.len = len;
	}
	return ioctl(of(c)->fd, OP_IOC_UNWIND_TABLE, &push) < 0 ? -errno : 0;
}

/* Counts */

static int device_counts(struct collector *c, struct session_counts *counts)
{
	return device_read_counts(of(c)->mount, counts);
}

static int device_event_times(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
			      uint64_t *ret_running_ns)
{
	struct device *d = of(c);
	uint64_t enabled, running;
	char file[32];
	int err;

	if (d->by_time)
		return -ENODATA;
	snprintf(file, sizeof(file), "%u/enabled_ns", counter);
	err = read_number(d, file, &enabled);
	snprintf(file, sizeof(file), "%u/running_ns", counter);
	if (!err)
		err = read_number(d, file, &running);
	if (err)
		return -ENODATA;	/* an older module lacks the files */
	*ret_enabled_ns = enabled;
	*ret_running_ns = running;
	return 0;
}

static void read_name(const struct device *d, const char *file, char *ret, size_t size)
{
	char *path = path_of(d, file);

	if (file_read_line(path, ret, size))
		snprintf(ret, size, "timer");
	free(path);
}

static void device_status(struct collector *c, struct collector_status *ret)
{
	struct device *d = of(c);

	read_name(d, "model", ret->model, sizeof(ret->model));
	snprintf(ret->cpu_type, sizeof(ret->cpu_type), "%s", d->cpu_type);
	if (!d->by_time || read_number(d, "timer/period_ns", &ret->period_ns))
		ret->period_ns = 0;
	if (read_number(d, "timer/clock_khz", &ret->clock_khz))
		ret->clock_khz = 0;
}

static struct device device = {
	.collector = {
		.name = "module",
		.open = device_open,
		.close = device_close,
		.start = device_start,
		.stop = device_stop,
		.poll_fd = device_poll_fd,
		.drain = device_drain,
		.cookie_path = device_cookie_path,
		.cookie_fd = device_cookie_fd,
		.cookie_build_id = device_cookie_build_id,
		.unwind_table = device_unwind_table,
		.counts = device_counts,
		.event_times = device_event_times,
		.status = device_status,
	},
	.fd = -1,
};

struct collector *collector_device_at(const char *mount_point)
{
	device.mount = mount_point;
	return &device.collector;
}

struct collector *collector_device(void)
{
	return collector_device_at(OPROFILEFS_MOUNT);
}
