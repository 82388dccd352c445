/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.h - answer opserve's requests with profiles of the next seconds [SV-n] */
#ifndef LIVE_SERVE_H
#define LIVE_SERVE_H

#include "formats/profile/profile.h"
#include "pp/binary/demangle_name.h"
#include "pp/select/spec.h"

struct server;

struct serve_options {
	const char *session_dir, *root;		/* root: or NULL */
	const struct spec_list *image_path;
	const struct profile_spec *spec;
	enum demangle_style demangle;
	const char *const *page_words;	/* what opreport would be called with for its page */
	size_t nr_page_words;
};

struct server *server_new(const struct serve_options *options);
void server_free(struct server *s);

/* Read a request from @fd and answer it. Several threads may call it. */
void server_answer(struct server *s, int fd);

#endif
