/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ratio.h - columns of the ratio of two events' estimated counts: opreport --ratio
 *
 * A sample stands for as many events as its count says. Rules: doc/pp-spec.md [RA-1]..[RA-3].
 */
#ifndef PP_REPORT_RATIO_H
#define PP_REPORT_RATIO_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"
#include "pp/select/arrange.h"

struct ratio {
	char *title;		/* "ipc", or "A/B" as given */
	char *events[2];	/* NAME[:COUNT[:UNITMASK]] */
	size_t classes[2];	/* of the arrangement */
	double factor;		/* events of a sample of the first, by those of the second */
};

struct ratio_list {
	struct ratio *ratios;
	size_t nr, room;
};

/* "[NAME=]A/B,...", or NULL: none. -EINVAL with @e set. *ret is the caller's to free. */
int ratios_parse(const char *text, struct ratio_list *ret, struct op_error *e);

/* Find the events' classes. -EINVAL: @e says which event has none, or several. */
int ratios_find(struct ratio_list *ratios, const struct arrangement *a, struct op_error *e);
void ratios_free(struct ratio_list *ratios);

/* NAN if the second event has no samples. @counts: one for each class. */
double ratio_value(const struct ratio *ratio, const uint64_t *counts);

/* "1.234"; "n/a" for NAN. */
void ratio_add_text(double value, struct strbuf *out);

#endif
