// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs.c - instruction-based sampling as an extended feature: events, logs, statistics
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "daemon/collect/ibs/events.h"
#include "daemon/record/attribute.h"
#include "daemon/record/ibs.h"
#include "daemon/record/ibs_log.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

_Static_assert(IBS_EVENTS_MAX <= EXT_EVENTS_MAX, "a sample may be all of them");

/* Words of the notes [EB-31] [EB-32]; registers take two. */
enum { PC = 0, FETCH_CONTROL = 3 };
enum { OP_DATA = 3, OP_LINEAR = 9, OP_PHYSICAL = 11, OP_TARGET = 13 };

struct ibs {
	struct ibs_config config;
	struct ibs_log memory, targets;
	uint64_t fetches, ops, invalid, derived;
};

static int ibs_init(const char *args, void **ret, struct op_error *e)
{
	struct ibs_config config;
	struct ibs *ibs;
	int err = ibs_config_parse(args, &config, e);

	if (err)
		return err;
	ibs = xcalloc(1, sizeof(*ibs));
	ibs->config = config;
	ibs->memory = ibs->targets = (struct ibs_log)IBS_LOG_CLOSED;
	*ret = ibs;
	return 0;
}

static void ibs_exit(void *data)
{
	free(data);
}

static const struct ibs_side *side_of(const struct ibs *ibs, const struct ibs_event *event)
{
	return ibs_event_is_op(event) ? &ibs->config.op : &ibs->config.fetch;
}

static unsigned int ibs_events(const void *data, struct sfile_event *ret)
{
	const struct ibs *ibs = data;

	for (unsigned int i = 0; i < ibs->config.nr_events; i++) {
		const struct ibs_event *event = ibs->config.events[i];
		const struct ibs_side *side = side_of(ibs, event);

		ret[i] = (struct sfile_event){
			.code = event->code, .unit_mask = side->unit_mask,
			.count = side->max_count, .no_kernel = !side->kernel,
			.no_user = !side->user, .derived = true,
		};
		snprintf(ret[i].name, sizeof(ret[i].name), "%s", event->name);
	}
	return ibs->config.nr_events;
}

static void ibs_print_events(const void *data, struct strbuf *out)
{
	const struct ibs *ibs = data;

	for (unsigned int i = 0; i < ibs->config.nr_events; i++) {
		const struct ibs_side *side = side_of(ibs, ibs->config.events[i]);

		strbuf_addf(out, "%s%s:%" PRIu32 ":%" PRIu32 ":%d:%d", out->len ? " " : "",
			    ibs->config.events[i]->name, side->max_count, side->unit_mask,
			    side->kernel, side->user);
	}
}

/* From words to events */

static uint64_t join(const op_word *halves)
{
	return halves[0] | halves[1] << 32;
}

static int derive_side(struct ibs *ibs, bool op, const struct ibs_registers *regs,
		       struct derived_event *ret)
{
	int nr = 0;

	for (unsigned int i = 0; i < ibs->config.nr_events; i++) {
		const struct ibs_event *event = ibs->config.events[i];
		uint32_t weight = ibs_event_is_op(event) == op ? ibs_event_weight(event, regs) : 0;

		if (weight)
			ret[nr++] = (struct derived_event){ .event = i, .weight = weight };
	}
	ibs->derived += nr;
	return nr;
}

static int derive_fetch(struct ibs *ibs, const op_word *words, struct derived_event *ret)
{
	struct ibs_registers regs = { { join(words + FETCH_CONTROL) } };

	ibs->fetches++;
	return derive_side(ibs, false, &regs, ret);
}

/* The start of a line, which is the same in both logs [IB-9]. */
#define WHO		"0x%016" PRIx64 ",0x%016" PRIx64 ",%02u,%08u,%08u,0x%08" PRIx64 ","
#define WHO_ARGS(s, pc)	(s)->app_cookie, (s)->cookie, (s)->cpu, (s)->tgid, (s)->tid, pc

static void log_access(struct ibs *ibs, const struct trans_state *state, const op_word *w,
		       uint64_t data3)
{
	uint64_t linear = data3 & IBS_LINEAR_VALID ? join(w + OP_LINEAR) : 0,
		 physical = data3 & IBS_PHYSICAL_VALID ? join(w + OP_PHYSICAL) : 0;

	if (!(data3 & (IBS_LOAD | IBS_STORE)))
		return;
	ibs_log_line(&ibs->memory, WHO "0x%08x:%08x,0x%08x:%08x,%s,%08u\n",
		     WHO_ARGS(state, w[PC]), (unsigned int)(physical >> 32),
		     (unsigned int)physical, (unsigned int)(linear >> 32), (unsigned int)linear,
		     data3 & IBS_LOAD ? "LD" : "ST", (unsigned int)(data3 >> 32 & 0xffff));
}

static void log_target(struct ibs *ibs, const struct trans_state *state, const op_word *w,
		       uint64_t data)
{
	if (data & IBS_BRANCH && w[OP_TARGET])
		ibs_log_line(&ibs->targets, WHO "0x%08" PRIx64 "\n", WHO_ARGS(state, w[PC]),
			     w[OP_TARGET]);
}

static bool is_requested(const struct ibs_side *side, const struct trans_state *state)
{
	return state->mode == MODE_KERNEL ? side->kernel : side->user;
}

static int derive_op(struct ibs *ibs, const struct trans_state *state, const op_word *words,
		     struct derived_event *ret)
{
	const struct ibs_side *side = &ibs->config.op;
	struct ibs_registers regs = { { join(words + OP_DATA), join(words + OP_DATA + 2),
					join(words + OP_DATA + 4) } };

	ibs->ops++;
	ibs_mask_reserved(ibs->config.family, &regs);
	if (regs.at[IBS_DATA] & IBS_RIP_INVALID) {
		ibs->invalid++;
		return EXT_INVALID;
	}
	if (side->unit_mask & IBS_OP_MEMACCESS && is_requested(side, state))
		log_access(ibs, state, words, regs.at[IBS_DATA3]);
	if (side->unit_mask & IBS_OP_BRANCH_TARGET && is_requested(side, state))
		log_target(ibs, state, words, regs.at[IBS_DATA]);
	return derive_side(ibs, true, &regs, ret);
}

static int ibs_derive(void *data, const struct trans_state *state, enum op_code code,
		      const op_word *words, struct derived_event *ret)
{
	int nr = code == OP_IBS_FETCH ? derive_fetch(data, words, ret) :
					derive_op(data, state, words, ret);

	log_about(LOG_EXT, "IBS %s at %" PRIx64 " on cpu %u: %d events",
		  code == OP_IBS_FETCH ? "fetch" : "op", words[PC], state->cpu, nr);
	return nr;
}

/* Logs */

static int open_log(struct ibs_log *log, const char *session_dir, const char *name,
		    const char *head, struct op_error *e)
{
	char *path = xasprintf("%s/samples/%s", session_dir, name);
	int err = ibs_log_open(log, path, head, IBS_LOG_MAX, e);

	free(path);
	return err;
}

static int ibs_open(void *data, const char *session_dir, struct op_error *e)
{
	struct ibs *ibs = data;
	int err = 0;

	if (ibs->config.op.unit_mask & IBS_OP_MEMACCESS)
		err = open_log(&ibs->memory, session_dir, "ibs_memaccess.log",
			       "# app_cookie,cookie,cpu,tgid,tid,pc,phys-hi:phys-low,"
			       "lin-hi:lin-low,access-type,latency\n", e);
	if (!err && ibs->config.op.unit_mask & IBS_OP_BRANCH_TARGET)
		err = open_log(&ibs->targets, session_dir, "ibs_bta.log",
			       "# app_cookie,cookie,cpu,tgid,tid,pc,branch-target-address\n", e);
	return err;
}

static void ibs_sync(void *data)
{
	struct ibs *ibs = data;

	ibs_log_flush(&ibs->memory);
	ibs_log_flush(&ibs->targets);
}

static void ibs_close(void *data)
{
	struct ibs *ibs = data;

	ibs_log_close(&ibs->memory);
	ibs_log_close(&ibs->targets);
}

/* Statistics. The labels are the original's; its entries are words. */

static void ibs_print_stats(const void *data, struct strbuf *out)
{
	const struct ibs *ibs = data;
	unsigned int op_words = OP_IBS_OP_WORDS +
				!!(ibs->config.op.unit_mask & IBS_OP_BRANCH_TARGET);

	strbuf_addf(out, "Nr. IBS Fetch samples     : %" PRIu64 " (%" PRIu64 " entries)\n",
		    ibs->fetches, ibs->fetches * OP_IBS_FETCH_WORDS);
	strbuf_addf(out, "Nr. IBS Op samples        : %" PRIu64 " (%" PRIu64 " entries)\n",
		    ibs->ops, ibs->ops * op_words);
	strbuf_addf(out, "Nr. IBS Op invalid RIP    : %" PRIu64 "\n", ibs->invalid);
	strbuf_addf(out, "Nr. IBS derived events    : %" PRIu64 "\n", ibs->derived);
	if (ibs->memory.left_out || ibs->targets.left_out)
		strbuf_addf(out, "Nr. IBS log lines left out: %" PRIu64 "\n",
			    ibs->memory.left_out + ibs->targets.left_out);
}

static void ibs_status(const void *data, struct strbuf *out)
{
	const struct ibs *ibs = data;

	strbuf_addf(out, "ibs.fetch_samples %" PRIu64 "\nibs.op_samples %" PRIu64
		    "\nibs.op_invalid_rip %" PRIu64 "\nibs.derived_events %" PRIu64
		    "\nibs.log_lines_left_out %" PRIu64 "\n",
		    ibs->fetches, ibs->ops, ibs->invalid, ibs->derived,
		    ibs->memory.left_out + ibs->targets.left_out);
}

static const struct ext_sfile_handlers ibs_sfile = {
	.events = ibs_events,
	.derive = ibs_derive,
	.open = ibs_open,
	.sync = ibs_sync,
	.close = ibs_close,
};

const struct ext_feature ibs_feature = {
	.name = "ibs",
	.args = IBS_CONFIG_SYNTAX,
	.ext_init = ibs_init,
	.ext_exit = ibs_exit,
	.ext_print_stats = ibs_print_stats,
	.ext_status = ibs_status,
	.ext_print_events = ibs_print_events,
	.ext_sfile = &ibs_sfile,
};

const struct ibs_config *ibs_config_of(const struct ext *x)
{
	return x && x->feature == &ibs_feature ? &((const struct ibs *)x->data)->config : NULL;
}
