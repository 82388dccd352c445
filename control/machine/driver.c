// SPDX-License-Identifier: GPL-2.0-or-later
/* driver.c - load the module and mount oprofilefs */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "control/machine/driver.h"
#include "control/opcontrol/child.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

#define MODULE_NAME	"oprofile"
#define MODPROBE_MS	(60 * 1000)

void driver_init(struct driver *d)
{
	char *dir = path_program_dir();

	*d = (struct driver){
		.filesystems = "/proc/filesystems",
		.modules = "/proc/modules",
		.parameter = "/sys/module/" MODULE_NAME "/parameters/model",
		.lockdown = "/sys/kernel/security/lockdown",
		.mount_point = OPROFILEFS_MOUNT,
		.module_file = xasprintf("%s/../module/" MODULE_NAME ".ko", dir ? dir : "."),
	};
	free(dir);
}

void driver_free(struct driver *d)
{
	free(d->module_file);
	d->module_file = NULL;
}

/* Whether the last word (@first: the first) of a line of @path is @word. */
static bool file_has_word(const char *path, const char *word, bool first)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *end = line + strcspn(line, "\n"), *start = line;

		*end = '\0';
		if (first)
			line[strcspn(line, " \t")] = '\0';
		else if (strpbrk(line, " \t"))
			start = line + strcspn(line, " \t") + 1;
		found = !strcmp(start, word);
	}
	if (f)
		fclose(f);
	return found;
}

bool driver_registered(const struct driver *d)
{
	return file_has_word(d->filesystems, OPROFILEFS_NAME, false);
}

bool driver_mounted(const struct driver *d)
{
	struct statfs fs;

	return !statfs(d->mount_point, &fs) && fs.f_type == OPROFILEFS_MAGIC;
}

static bool locked_down(const struct driver *d)
{
	char line[128];

	return !file_read_line(d->lockdown, line, sizeof(line)) && !strstr(line, "[none]") &&
	       strchr(line, '[');
}

static int explain_load(const struct driver *d, int err, struct op_error *e)
{
	struct utsname kernel;

	uname(&kernel);
	switch (err) {
	case -ENOSYS:
		return op_error_set(e, err, "the kernel does not support loadable modules");
	case -EPERM:
		return op_error_set(e, err, locked_down(d) ?
				    "the kernel is locked down and accepts only signed modules" :
				    "loading a kernel module is not permitted");
	case -EKEYREJECTED:
	case -ENOKEY:
		return op_error_set(e, err, "the kernel accepts only signed modules");
	case -ENOEXEC:
	case -EINVAL:
		return op_error_set(e, err, "'%s' was built for another kernel than %s; run "
				    "'make module'", d->module_file, kernel.release);
	case -ENOENT:
		return op_error_set(e, err, "no oprofile.ko found for kernel %s; run 'make "
				    "module'", kernel.release);
	default:
		return op_error_set(e, err, "cannot load oprofile.ko: %s; see dmesg",
				    strerror(-err));
	}
}

static int load_file(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, parameters, 0) && errno != EEXIST)
		err = -errno;
	close(fd);
	return err;
}

/* modprobe does not report the errno of the kernel. */
static int load_installed(const char *parameters)
{
	const char *const argv[] = { "modprobe", "-q", MODULE_NAME,
				     *parameters ? parameters : NULL, NULL };
	int status, err = child_run(argv, true, MODPROBE_MS, &status);

	if (err)
		return err;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ENOENT;
}

static int load_module(const struct driver *d, const char *model, struct op_error *e)
{
	char parameters[64] = "";
	int err;

	if (!file_exists(d->modules))
		return explain_load(d, -ENOSYS, e);
	if (*model)
		snprintf(parameters, sizeof(parameters), "model=%s", model);
	err = load_file(d->module_file, parameters);
	if (err == -ENOENT)
		err = load_installed(parameters);
	if ((err == -EINVAL || err == -ENOENT) && *model)
		return op_error_set(e, err, "cannot load the module with model=%s: not built for "
				    "this kernel, or without this model; see dmesg", model);
	if (err)
		return explain_load(d, err, e);
	if (!driver_registered(d))
		return op_error_set(e, -ENODEV, "module '" MODULE_NAME "' is loaded but does not "
				    "provide " OPROFILEFS_NAME "; run 'rmmod " MODULE_NAME
				    "' and try again");
	return 0;
}

static int mount_fs(const struct driver *d, struct op_error *e)
{
	int err = file_make_dirs(d->mount_point, 0755);

	if (err)
		return op_error_set(e, err, "cannot create '%s': %s", d->mount_point,
				    strerror(-err));
	/* [CC-84] -EBUSY: udev was faster */
	if (mount(OPROFILEFS_NAME, d->mount_point, OPROFILEFS_NAME,
		  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) &&
	    !(errno == EBUSY && driver_mounted(d)))
		return op_error_set(e, -errno, "cannot mount " OPROFILEFS_NAME " on '%s': %s",
				    d->mount_point, strerror(errno));
	return 0;
}

static int check_abi(const struct driver *d, struct op_error *e)
{
	char *path = path_join(d->mount_point, "abi_version");
	uint64_t version;
	int err = file_read_u64(path, &version);

	free(path);
	if (err)
		return op_error_set(e, -EPROTO, "the loaded oprofile module is unsupported (the "
				    "kernel's own, or an old one); run opcontrol --deinit");
	if (version != OP_ABI_VERSION)
		return op_error_set(e, -EPROTO, "the loaded oprofile module has version %" PRIu64
				    ", expected %d; run opcontrol --deinit and 'make module'",
				    version, OP_ABI_VERSION);
	return 0;
}

static int unmount_fs(const struct driver *d, struct op_error *e)
{
	if (umount2(d->mount_point, UMOUNT_NOFOLLOW))
		return op_error_set(e, -errno, "cannot unmount '%s': %s", d->mount_point,
				    errno == EBUSY ? "a program still uses it" : strerror(errno));
	return 0;
}

int driver_remove(const struct driver *d, bool *ret_unloaded, struct op_error *e)
{
	int err = driver_mounted(d) ? unmount_fs(d, e) : 0;

	if (err)
		return err;
	*ret_unloaded = false;
	if (!file_has_word(d->modules, MODULE_NAME, true))
		return 0;
	if (syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK))
		return op_error_set(e, -errno, "cannot unload the module " MODULE_NAME ": %s",
				    errno == EWOULDBLOCK ? "it is still in use" : strerror(errno));
	*ret_unloaded = true;
	return 0;
}

void driver_parameter(const struct driver *d, char *buf, size_t size)
{
	if (file_read_line(d->parameter, buf, size))
		*buf = '\0';
}

static int unload(const struct driver *d, struct op_error *e)
{
	struct op_error why = { "" };
	bool unloaded;
	int err = driver_remove(d, &unloaded, &why);

	return err ? op_error_set(e, err, "cannot reload the module: %s",
				  why.text) : 0;
}

int driver_ready(const struct driver *d, const char *model, struct op_error *e)
{
	char loaded[32];
	int err = 0;

	driver_parameter(d, loaded, sizeof(loaded));
	if (*model && driver_registered(d) && strcmp(model, loaded))
		err = unload(d, e);
	if (!err && !driver_registered(d))
		err = load_module(d, model, e);
	if (!err && !driver_mounted(d))
		err = mount_fs(d, e);
	return err ? err : check_abi(d, e);
}

int driver_reload(const struct driver *d, struct op_error *e)
{
	char model[32];
	int err;

	driver_parameter(d, model, sizeof(model));
	err = unload(d, e);
	return err ? err : driver_ready(d, model, e);
}

uint64_t driver_clock_khz(const struct driver *d)
{
	char *path = path_join(d->mount_point, "timer/clock_khz");
	uint64_t khz = 0;

	if (driver_mounted(d))
		(void)file_read_u64(path, &khz);
	free(path);
	return khz;
}

int driver_write(const struct driver *d, const char *file, uint64_t value, struct op_error *e)
{
	char *path = path_join(d->mount_point, file), text[24];
	uint64_t now;
	int err;

	snprintf(text, sizeof(text), "%" PRIu64, value);
	if (!file_read_u64(path, &now) && now == value) {
		free(path);
		return 0;
	}
	err = file_write_existing(path, text);
	if (err == -EBUSY)
		op_error_set(e, err, "cannot set '%s' to %s: another program has '%s/buffer' "
			     "open; stop it first", path, text, d->mount_point);
	else if (err)
		op_error_set(e, err, "cannot write %s to '%s': %s", text, path,
			     strerror(-err));
	else if (!file_read_u64(path, &now) && now != value)
		err = op_error_set(e, -ERANGE, "wrote %s to '%s', but its value is %" PRIu64,
				   text, path, now);
	free(path);
	return err;
}
