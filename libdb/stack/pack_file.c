// SPDX-License-Identifier: GPL-2.0-or-later
/* pack_file.c - replace a stack store by its packed form, or that by the store [ST-16] */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/stack/packed.h"
#include "libutil/file.h"

/* In units of 8 bytes: packing takes up to six times the memory. */
#define PACKED_MAX	(UINT32_C(32) << 17)

static int write_file(const char *path, const struct stack_header *h, const void *bytes, size_t n,
		      struct op_error *e)
{
	struct strbuf out = STRBUF_INIT;
	int err;

	strbuf_add_bytes(&out, (const char *)h, sizeof(*h));
	strbuf_add_bytes(&out, bytes, n);
	err = file_write_atomic(path, out.text, out.len, 0644);
	strbuf_free(&out);
	return err ? op_error_set(e, err, "cannot write '%s': %s", path, strerror(-err)) : 0;
}

static int write_packed(const char *path, struct stack_header *h, const struct stack_log *log,
			struct op_error *e)
{
	struct strbuf packed = STRBUF_INIT;
	int err = stack_pack(log, &packed);

	h->version = STACK_VERSION_PACKED;
	if (err)
		op_error_set(e, err, "cannot pack '%s': %s", path, strerror(-err));
	else if (packed.len < ((size_t)h->used - STACK_FIRST) * 8 &&
		 h->used / STACK_EXPANSION_MAX < packed.len / 8)
		err = write_file(path, h, packed.text, packed.len, e);
	strbuf_free(&packed);
	return err;
}

int stack_store_pack(const char *path, struct op_error *e)
{
	struct stack_header h;
	struct stack_log log;
	int err = stack_log_read(path, &h, &log, e);

	if (err)
		return err;
	if (h.version == STACK_VERSION && h.used <= PACKED_MAX)
		err = write_packed(path, &h, &log, e);
	stack_log_free(&log);
	return err;
}

int stack_store_unpack(const char *path, struct op_error *e)
{
	struct stack_header h;
	struct stack_log log;
	int err = stack_log_read(path, &h, &log, e);

	if (err)
		return err;
	if (h.version == STACK_VERSION_PACKED) {
		h.version = STACK_VERSION;
		err = write_file(path, &h, log.records + STACK_FIRST,
				 ((size_t)h.used - STACK_FIRST) * 8, e);
	}
	stack_log_free(&log);
	return err;
}
