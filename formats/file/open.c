// SPDX-License-Identifier: GPL-2.0-or-later
/* open.c - read a file of any format into a profile */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/file/gunzip.h"
#include "formats/format.h"
#include "libutil/file.h"

/* 16 GiB, more than any tool writes; 1 GiB if addresses have 32 bits. */
#define INPUT_LIMIT ((size_t)1 << (sizeof(size_t) > 4 ? 34 : 30))

int profile_file_bytes(const char *path, unsigned char **ret, size_t *ret_size,
		       struct op_error *e)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char *text;
	int err = fd < 0 ? -errno : file_read_all_fd(fd, INPUT_LIMIT, &text, ret_size);

	if (fd >= 0 && !is_stdin)
		close(fd);
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	*ret = (unsigned char *)text;
	return 0;
}

/* [PF-13] */
static int refuse_unknown(size_t size, struct op_error *e)
{
	char *names = profile_format_names(profile_formats, false);

	if (size)
		op_error_set(e, -EINVAL, "unknown format; name it with --from: %s", names);
	else
		op_error_set(e, -EINVAL, "the file is empty");
	free(names);
	return -EINVAL;
}

static int read_profile(const unsigned char *bytes, size_t size,
			const struct profile_format *format,
			const struct format_read_options *options, struct profile **ret,
			struct op_error *e)
{
	struct profile *p;
	int err;

	if (!format)
		format = profile_format_detect(bytes, size);
	if (!format)
		return refuse_unknown(size, e);
	if (!format->read)
		return op_error_set(e, -EINVAL, "format '%s' cannot be read, only written",
				    format->name);
	p = profile_new();
	err = format->read(bytes, size, options, p, e);
	if (err) {
		profile_free(p);
		return err;
	}
	p->origin = profile_string(p, format->name);
	*ret = p;
	return 0;
}

int profile_read_bytes(const char *path, const unsigned char *bytes, size_t size,
		       const struct profile_format *format,
		       const struct format_read_options *options, struct profile **ret,
		       struct op_error *e)
{
	struct op_error why = { "" };
	unsigned char *unpacked = NULL;
	int err = 0;

	if (is_gzip(bytes, size))
		err = profile_gunzip(bytes, size, options, &unpacked, &size, &why);
	if (!err)
		err = read_profile(unpacked ? unpacked : bytes, size, format, options, ret, &why);
	free(unpacked);
	if (err)
		format_locate(path, why.text, e);
	return err;
}

int profile_read_file(const char *path, const struct profile_format *format,
		      const struct format_read_options *options, struct profile **ret,
		      struct op_error *e)
{
	unsigned char *bytes;
	size_t size;
	int err = profile_file_bytes(path, &bytes, &size, e);

	if (err)
		return err;
	err = profile_read_bytes(path, bytes, size, format, options, ret, e);
	free(bytes);
	return err;
}
