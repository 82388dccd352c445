// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sfile_trouble.c - sample files that cannot be written: what is told, when they are tried again
 */
#include <string.h>
#include "daemon/record/sfile_private.h"
#include "libutil/clock.h"
#include "libutil/log.h"

#define RETRY_MIN	1		/* seconds until a failed file is tried again */
#define RETRY_MAX	60

bool sfile_may_try(const struct sfile *sf)
{
	return !sf->unnameable && (!sf->retry_at || now_seconds() >= sf->retry_at);
}

void sfile_lost(struct sfile *sf, uint64_t nr)
{
	if (sf->unnameable || !nr)
		return;
	if (sf->key.is_arc)
		sf->all->arcs_unwritten += nr;
	else
		sf->all->unwritten += nr;
	sf->all->unwritten_at = now_seconds();
}

static void describe_failure(struct sfile *sf, int err, const struct op_error *e)
{
	struct strbuf path = STRBUF_INIT;

	if (e->text[0]) {
		sf->all->trouble = *e;
	} else {
		(void)sfile_path(sf, &path);
		op_error_set(&sf->all->trouble, err, "cannot add to '%s': %s", path.text,
			     strerror(-err));
		strbuf_free(&path);
	}
}

static const char *what_is_lost(const struct sfile *sf)
{
	return sf->key.is_arc ? "calls of call graphs" : "samples";
}

/* Anybody can give a program a name that no sample file can have: no trouble of the disk's. */
static void tell_unnameable(struct sfile *sf, const struct op_error *e)
{
	if (!sf->all->told_unnameable)
		log_line("%s are being lost: %s", what_is_lost(sf), e->text);
	sf->all->told_unnameable = true;
}

void sfile_failed(struct sfile *sf, int err, const struct op_error *e)
{
	bool first = !sf->retry_delay;

	if (sf->unnameable) {
		tell_unnameable(sf, e);
		return;
	}
	sf->retry_delay = first ? RETRY_MIN : sf->retry_delay * 2;
	if (sf->retry_delay > RETRY_MAX)
		sf->retry_delay = RETRY_MAX;
	sf->retry_at = now_seconds() + sf->retry_delay;
	describe_failure(sf, err, e);
	if (first && sf->all->told_err != err)
		log_line("%s are being lost: %s; the file is tried again from time to time",
			 what_is_lost(sf), sf->all->trouble.text);
	sf->all->told_err = err;
}

void sfile_works(struct sfile *sf)
{
	if (!sf->retry_delay)
		return;
	sf->retry_delay = sf->retry_at = 0;
	if (sf->all->told_err)
		log_line("sample files can be written again");
	sf->all->told_err = 0;
}

/* The file that failed may never be wanted again: then it is not what keeps us in trouble. */
const char *sfiles_trouble(const struct sfiles *all)
{
	bool lately = now_seconds() <= all->unwritten_at + RETRY_MAX;

	return all->told_err && lately ? all->trouble.text : parts_trouble(all->parts);
}

uint64_t sfiles_unwritten(const struct sfiles *all, const char **ret_why)
{
	*ret_why = all->trouble.text;
	return all->unwritten;
}

uint64_t sfiles_arcs_unwritten(const struct sfiles *all, const char **ret_why)
{
	*ret_why = all->trouble.text;
	return all->arcs_unwritten;
}
