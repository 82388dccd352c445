// SPDX-License-Identifier: GPL-2.0-or-later
/* write_losses.c - see write_losses.h */
#include "daemon/record/retry.h"
#include "daemon/record/write_losses.h"
#include "libutil/clock.h"
#include "libutil/log.h"

void write_losses_add(struct write_losses *l, bool is_arc, uint64_t nr)
{
	if (is_arc)
		l->arcs += nr;
	else
		l->samples += nr;
	l->last = now_seconds();
}

static const char *lost_things(bool is_arc)
{
	return is_arc ? "call graph arcs" : "samples";
}

/* Logged once, because any user can run a program with such a name. */
void write_losses_report_name(struct write_losses *l, bool is_arc, const struct op_error *why)
{
	if (!l->logged_name)
		log_line("%s are being lost: %s", lost_things(is_arc), why->text);
	l->logged_name = true;
}

void write_losses_report(struct write_losses *l, bool is_arc, bool is_new, int err,
			 const struct op_error *why)
{
	l->why = *why;
	if (is_new && l->logged != err)
		log_line("%s are being lost: %s; retrying periodically", lost_things(is_arc),
			 why->text);
	l->logged = err;
}

void write_losses_end(struct write_losses *l)
{
	if (l->logged)
		log_line("sample files can be written again");
	l->logged = 0;
}

/* The file that failed may never be written to again: then the trouble is over after a while. */
const char *write_losses_trouble(const struct write_losses *l)
{
	bool is_recent = now_seconds() <= l->last + RETRY_SECONDS_MAX;

	return l->logged && is_recent ? l->why.text : "";
}
