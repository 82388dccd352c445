/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - the parts of probe_session() */
#ifndef CONTROL_OPDOCTOR_SESSION_H
#define CONTROL_OPDOCTOR_SESSION_H

#include "control/opdoctor/probes.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"

/* Names and lines of the images with most samples, of which there are @total. */
void probe_images(const struct machine *m, struct collection *c, const struct inversion *inversion,
		  uint64_t total, struct findings *f);
/* Programs that made code at run time, and whether it has names. */
void probe_jit(const struct inversion *inversion, uint64_t total, struct findings *f);

/* Unreadable files have no samples. */
uint64_t samples_of_file(const struct arranged_file *file);
uint64_t samples_of_image(const struct inverted_image *image);

#endif
