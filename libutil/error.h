/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - how a library reports to its caller what went wrong
 *
 * Libraries return 0 or a negative errno. Where a number is not enough, they also put one
 * lower-case sentence without a full stop into a struct op_error. They never print.
 */
#ifndef LIBUTIL_ERROR_H
#define LIBUTIL_ERROR_H

struct op_error {
	char text[600];		/* "" until something fails */
};

/*
 * Format the message of @e (which may be NULL) and return @err, so that a failing call
 * reads "return op_error_set(e, -EINVAL, ...)". An earlier message is replaced.
 */
int op_error_set(struct op_error *e, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
