// SPDX-License-Identifier: GPL-2.0-or-later
/* objects.c - copy code objects of another process to a memfd */
#include "libutil/opener/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/opener/memory.h"
#include "libutil/opener/objects/read.h"

static object_read *const readers[OP_RUNTIME_KINDS] = {
	[OP_RUNTIME_PYTHON] = object_read_python,
	[OP_RUNTIME_PHP] = object_read_php,
	[OP_RUNTIME_RUBY] = object_read_ruby,
};

static bool read_object(uint32_t pid, uint32_t number, uint64_t object, struct object *ret)
{
	const struct op_runtime_table *t = &op_runtime_tables[number];

	if (!readers[t->kind](pid, t, object, ret))
		return false;
	ret->head.object = object;
	ret->head.number = number;
	ret->head.name_size = ret->name.size;
	ret->head.name_width = ret->name.width;
	ret->head.file_size = ret->file.size;
	ret->head.file_width = ret->file.width;
	return true;
}

static int write_object(int fd, const struct object *o)
{
	int err = file_write_fd(fd, &o->head, sizeof(o->head));

	if (!err)
		err = file_write_fd(fd, o->name.bytes, o->name.size);
	if (!err)
		err = file_write_fd(fd, o->file.bytes, o->file.size);
	return err ? err : file_write_fd(fd, o->lines, o->head.lines_size);
}

int opener_objects_here(uint32_t pid, uint32_t number, const uint64_t *objects, size_t nr)
{
	const struct stat owner = process_owner(pid);
	struct object *o;
	int fd, err = 0;

	if (!number || number >= OP_RUNTIMES)
		return -EINVAL;
	fd = memfd_create("objects", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	o = malloc(sizeof(*o));
	if (!o)
		err = -ENOMEM;
	for (size_t i = 0; i < nr && !err; i++)
		if (read_object(pid, number, objects[i], o))
			err = write_object(fd, o);
	free(o);
	process_give(pid, fd, &owner);
	if (!err)
		return fd;
	close(fd);
	return err;
}
