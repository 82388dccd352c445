/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proto_made.h - read bytes of a test as profile.proto, and keep warnings */
#ifndef TESTS_UNIT_FORMATS_PROTO_MADE_H
#define TESTS_UNIT_FORMATS_PROTO_MADE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/proto/encode.h"
#include "libutil/xalloc.h"

static char warned[1000];

static inline void keep_warning(void *context, const char *text)
{
	(void)context;
	snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned), "%s\n", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

/* Read and free @b. */
static inline struct profile *read_made(struct proto_buffer *b, bool strict, int *ret_err,
					struct op_error *e)
{
	struct format_read_options options = { .warnings = &warnings, .strict = strict };
	struct profile *p = profile_new();
	/* allocated, so that sanitizers see reads past the end */
	unsigned char *bytes = xmalloc(b->len + 1);

	if (b->len)
		memcpy(bytes, b->bytes, b->len);
	e->text[0] = '\0';
	*ret_err = format_pprof.read(bytes, b->len, &options, p, e);
	free(bytes);
	proto_buffer_free(b);
	return p;
}

#endif
