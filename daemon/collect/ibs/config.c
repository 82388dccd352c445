// SPDX-License-Identifier: GPL-2.0-or-later
/* config.c - parse the settings of instruction-based sampling [IB-2] */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include "daemon/collect/ibs/config.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define NR_NEEDED	3		/* events, count, unit mask */
#define NR_FIELDS	5		/* kernel, user */

static int add_event(const char *name, bool op, struct ibs_config *c, struct op_error *e)
{
	const struct ibs_event *event = ibs_event_find(name);

	if (!event)
		return op_error_set(e, -EINVAL, "--ext-feature=ibs: unknown event '%.60s'; see "
				    "ophelp", name);
	if (ibs_event_is_op(event) != op)
		return op_error_set(e, -EINVAL, "--ext-feature=ibs: event %s belongs to '%s:', "
				    "not '%s:'", name, op ? "fetch" : "op", op ? "op" : "fetch");
	for (unsigned int i = 0; i < c->nr_events; i++)
		if (c->events[i] == event)
			return op_error_set(e, -EINVAL, "--ext-feature=ibs: event %s is given "
					    "twice", name);
	/* no event is in it twice, so the table's length is large enough */
	c->events[c->nr_events++] = event;
	return 0;
}

static int add_events(char *list, bool op, struct ibs_config *c, struct op_error *e)
{
	char *name, *rest;
	int err = 0, nr = 0;

	for (name = strtok_r(list, ",", &rest); name && !err; name = strtok_r(NULL, ",", &rest)) {
		err = add_event(name, op, c, e);
		nr++;
	}
	if (!nr)
		return op_error_set(e, -EINVAL, "--ext-feature=ibs: no events given for '%s:'",
				    op ? "op" : "fetch");
	return err;
}

static int number(const char *text, bool hex, uint64_t min, uint64_t max, const char *what,
		  uint64_t *ret, struct op_error *e)
{
	char *prefixed = hex && strncmp(text, "0x", 2) ? xasprintf("0x%s", text) : xstrdup(text);
	int err = number_parse_range(prefixed, min, max, ret);

	free(prefixed);
	if (!err)
		return 0;
	if (hex)
		return op_error_set(e, -EINVAL, "--ext-feature=ibs: invalid %s '%.40s': expected "
				    "0 to 0x%" PRIx64, what, text, max);
	return op_error_set(e, -EINVAL, "--ext-feature=ibs: invalid %s '%.40s': expected %" PRIu64
			    " to %" PRIu64, what, text, min, max);
}

static int parse_numbers(char *const *field, bool op, struct ibs_side *side, struct op_error *e)
{
	uint64_t count, mask, kernel, user;
	int err = number(field[1], false, op ? IBS_OP_COUNT_MIN : IBS_FETCH_COUNT_MIN,
			 op ? IBS_OP_COUNT_MAX : IBS_FETCH_COUNT_MAX, "count", &count, e);

	if (!err)
		err = number(field[2], true, 0, op ? IBS_OP_MASKS : 0, "unit mask", &mask, e);
	if (!err)
		err = number(field[3], false, 0, 1, "kernel", &kernel, e);
	if (!err)
		err = number(field[4], false, 0, 1, "user", &user, e);
	if (!err && !kernel && !user)
		err = op_error_set(e, -EINVAL,
				   "--ext-feature=ibs: neither kernel nor user is enabled");
	if (err)
		return err;
	*side = (struct ibs_side){ true, count, mask, kernel, user };
	return 0;
}

static int split(char *text, char *fields[NR_FIELDS])
{
	int nr = 0;
	char *field;

	while ((field = strsep(&text, ":"))) {
		if (nr == NR_FIELDS)
			return -1;
		fields[nr++] = field;
	}
	return nr;
}

static int parse_side(char *text, struct ibs_config *c, struct op_error *e)
{
	char yes[] = "1", *fields[NR_FIELDS] = { NULL, NULL, NULL, yes, yes },
	     *which = strsep(&text, ":");
	bool op = !strcmp(which, "op");
	struct ibs_side *side = op ? &c->op : &c->fetch;
	int nr = text ? split(text, fields) : 0, err;

	if ((!op && strcmp(which, "fetch")) || (nr != NR_NEEDED && nr != NR_FIELDS))
		return op_error_set(e, -EINVAL, "--ext-feature=ibs:%.40s...: expected ibs:%s",
				    which, IBS_CONFIG_SYNTAX);
	if (side->on)
		return op_error_set(e, -EINVAL, "--ext-feature=ibs: '%s:' is given twice", which);
	err = add_events(fields[0], op, c, e);
	return err ? err : parse_numbers(fields, op, side, e);
}

/* The family of an AMD or Hygon CPU; 0: another CPU. */
static unsigned int cpu_family(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int max, b, c, d, version;
	bool amd;

	if (!__get_cpuid(0, &max, &b, &c, &d))
		return 0;
	amd = b == signature_AMD_ebx && c == signature_AMD_ecx && d == signature_AMD_edx;
	if (!amd && (b != 0x6f677948 || d != 0x6e65476e || c != 0x656e6975))	/* HygonGenuine */
		return 0;
	if (!__get_cpuid(1, &version, &b, &c, &d))
		return 0;
	return (version >> 8 & 0xf) + ((version >> 8 & 0xf) == 0xf ? version >> 20 & 0xff : 0);
#else
	return 0;
#endif
}

int ibs_config_parse(const char *args, struct ibs_config *ret, struct op_error *e)
{
	struct ibs_config c = { .family = cpu_family() };
	char *copy = xstrdup(args), *rest = copy, *side;
	int err = 0;

	while (!err && (side = strsep(&rest, "|")))
		err = parse_side(side, &c, e);
	free(copy);
	if (!err)
		*ret = c;
	return err;
}

bool ibs_cpu_has_branch_target(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int caps, b, c, d;

	return cpu_family() >= 0x10 && __get_cpuid(0x8000001b, &caps, &b, &c, &d) &&
	       caps >> 5 & 1;
#else
	return false;
#endif
}
