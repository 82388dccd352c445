/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookie.h - which image a cookie stands for, asked from the collector once per cookie
 *
 * A cookie stays valid as long as the collector is open, and so does the answer kept here.
 */
#ifndef DAEMON_RECORD_COOKIE_H
#define DAEMON_RECORD_COOKIE_H

#include "daemon/collect/collector.h"
#include "daemon/record/binaries.h"
#include "daemon/record/image.h"

struct cookies;

/* All must outlive it. */
struct cookies *cookies_new(struct collector *collector, struct images *images,
			    struct binaries *binaries);
void cookies_free(struct cookies *c);

/* Have @file called with the file of each cookie resolved from now on; the fd stays ours. */
void cookies_tell_files(struct cookies *c, void (*file)(void *context, op_word cookie, int fd),
			void *context);

/* The image, or NULL: no cookie (0, OP_INVALID_COOKIE), or it could not be resolved. */
struct image *cookie_image(struct cookies *c, op_word cookie);

#endif
