// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * objects.c - follow the pointers of code objects in another process
 *
 * Each object's type is checked by name, and each size is bounded. The process may change all of it
 * meanwhile: then names are wrong, but no more than it could have called its functions.
 */
#include "libutil/opener/objects.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/opener/memory.h"
#include "runtime/runtime.h"

#define HEAD		256		/* bytes: more than a code object has before its code */

struct text {
	uint32_t size, width;
	unsigned char bytes[OBJECT_TEXT_MAX];
};

struct object {
	struct object_head head;
	struct text name, file;
	unsigned char lines[OBJECT_LINES_MAX];
};

static uint64_t word_at(const unsigned char *head, size_t at)
{
	uint64_t ret;

	memcpy(&ret, head + at, sizeof(ret));
	return ret;
}

/* Whether the object that begins with @head is of the type called @name. */
static bool is_a(uint32_t pid, const unsigned char *head, const char *name)
{
	uint64_t at = word_at(head, OP_PYTHON_TYPE);
	size_t len = strlen(name) + 1;
	char has[8];

	return !process_read(pid, at + OP_PYTHON_TYPE_NAME, &at, sizeof(at)) &&
	       !process_read(pid, at, has, len) && !memcmp(has, name, len);
}

static bool read_text(uint32_t pid, const struct op_runtime_python *t, uint64_t at,
		      struct text *ret)
{
	unsigned char head[OP_PYTHON_STR_STATE + 8];
	uint32_t state;
	uint64_t length;
	bool is_ascii;

	if (process_read(pid, at, head, sizeof(head)) || !is_a(pid, head, "str"))
		return false;
	state = (uint32_t)word_at(head, OP_PYTHON_STR_STATE);
	length = word_at(head, OP_PYTHON_SIZE);
	ret->width = state >> 2 & 7;
	is_ascii = state >> 6 & 1;
	if (!(state >> 5 & 1) || (ret->width != 1 && ret->width != 2 && ret->width != 4))
		return false;
	if (length > OBJECT_TEXT_MAX / ret->width)
		length = OBJECT_TEXT_MAX / ret->width;
	ret->size = (uint32_t)length * ret->width;
	return !process_read(pid, at + (is_ascii ? t->ascii : t->text), ret->bytes, ret->size);
}

/* A function without a line table still has a name. */
static uint32_t read_lines(uint32_t pid, uint64_t at, unsigned char *to)
{
	unsigned char head[OP_PYTHON_BYTES];
	uint64_t size;

	if (process_read(pid, at, head, sizeof(head)) || !is_a(pid, head, "bytes"))
		return 0;
	size = word_at(head, OP_PYTHON_SIZE);
	if (size > OBJECT_LINES_MAX || process_read(pid, at + OP_PYTHON_BYTES, to, size))
		return 0;
	return (uint32_t)size;
}

static bool read_object(uint32_t pid, uint32_t number, uint64_t object, struct object *ret)
{
	const struct op_runtime_python *t = &op_runtime_python[number];
	unsigned char head[HEAD];
	uint64_t size;

	if (process_read(pid, OP_RUNTIME_OBJECT(object), head, t->instructions) ||
	    !is_a(pid, head, "code"))
		return false;
	size = word_at(head, OP_PYTHON_SIZE);
	if (size >= OP_RUNTIME_SIZE_MAX ||
	    op_runtime_mark(size, word_at(head, t->mark)) !=
	    object - OP_RUNTIME_OBJECT(object) ||
	    !read_text(pid, t, word_at(head, t->name), &ret->name) ||
	    !read_text(pid, t, word_at(head, t->file), &ret->file))
		return false;
	ret->head = (struct object_head){
		.object = object, .number = number, .instructions = (uint32_t)size,
		.line = (uint32_t)word_at(head, t->line),
		.name_size = ret->name.size, .file_size = ret->file.size,
		.lines_size = read_lines(pid, word_at(head, t->lines), ret->lines),
		.name_width = ret->name.width, .file_width = ret->file.width,
	};
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
