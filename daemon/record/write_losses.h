/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_losses.h - what is lost because sample files cannot be written, and the log about it
 *
 * A failure is logged once, however many files it hits, until a file can be written again.
 */
#ifndef DAEMON_RECORD_WRITE_LOSSES_H
#define DAEMON_RECORD_WRITE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "libutil/error.h"

struct write_losses {			/* all 0: none */
	uint64_t samples, arcs;		/* since the start; arcs: of {cg} files */
	time_t last;			/* when the last of them were lost */
	struct op_error why;
	int logged;			/* -errno of the failure that was logged; 0: none */
	bool logged_name;		/* that a sample file cannot be named */
};

void write_losses_add(struct write_losses *l, bool is_arc, uint64_t nr);

/* A file that could be written until now (@is_new) or could not either failed with @err. */
void write_losses_report(struct write_losses *l, bool is_arc, bool is_new, int err,
			 const struct op_error *why);
/* The samples of a file that cannot have a name are lost. This is no trouble of the disk. */
void write_losses_report_name(struct write_losses *l, bool is_arc, const struct op_error *why);
/* A file that failed can be written again. */
void write_losses_end(struct write_losses *l);

/* Why samples are being lost now, or "". */
const char *write_losses_trouble(const struct write_losses *l);

#endif
