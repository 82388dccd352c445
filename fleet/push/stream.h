/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - parts on their way through a pipe, from the process that made them
 *
 * That process has parsed binaries of any user, so what comes is untrusted, too.
 */
#ifndef FLEET_PUSH_STREAM_H
#define FLEET_PUSH_STREAM_H

#include "fleet/push/target.h"

/* 0 or -errno; -EFBIG: the part is too large. */
int push_stream_put(int fd, const struct push_part *part);
/* The last: all parts were put, or why they cannot be made, if @err is not 0. */
int push_stream_end(int fd, int err, const char *why);

/*
 * 1: the next part, for push_part_free(). 0: there are no more. -EPIPE: the process ended before;
 * or what it gave to push_stream_end(), with that text in @e, printable.
 */
int push_stream_next(int fd, struct push_part *ret, struct op_error *e);
void push_part_free(struct push_part *p);

#endif
