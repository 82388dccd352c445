/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookie.h - the images that cookies stand for; the collector is asked once per cookie
 *
 * The answer is kept until the collector ends the cookie (OP_COOKIE_END), so that no more are kept
 * here than there.
 */
#ifndef DAEMON_RECORD_COOKIE_H
#define DAEMON_RECORD_COOKIE_H

#include "daemon/collect/collector.h"
#include "daemon/record/binaries.h"
#include "daemon/record/image.h"

struct cookies;

/* The arguments must outlive it. */
struct cookies *cookies_new(struct collector *collector, struct images *images,
			    struct binaries *binaries);
void cookies_free(struct cookies *c);

/* Call @handle_file with the file of each cookie that is resolved from now on; @fd stays ours. */
void cookies_set_file_handler(struct cookies *c,
			      void (*handle_file)(void *context, op_word cookie, int fd),
			      void *context);

/* The image; NULL: no cookie (OP_NO_COOKIE, OP_INVALID_COOKIE), or it could not be resolved. */
struct image *cookie_image(struct cookies *c, op_word cookie);

/* The cookie ended: forget what it stands for. */
void cookies_forget(struct cookies *c, op_word cookie);

void cookies_keep_images(const struct cookies *c);	/* image.h */

#endif
