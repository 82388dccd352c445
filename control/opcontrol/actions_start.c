// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * actions_start.c - actions that choose a collector: --init, --start and --list-events
 *
 * They print what samples, and why nothing better does.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "control/machine/rights.h"
#include "control/opcontrol/actions.h"
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/daemon_start.h"
#include "control/opcontrol/daemonrc.h"
#include "control/opcontrol/service.h"
#include "control/opcontrol/status.h"
#include "control/opcontrol/watchdog.h"
#include "control/plan/plan.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/interrupt.h"
#include "libutil/message.h"
#include "libutil/number.h"

#define RATE_MS	(3 * 1000)	/* until the daemon knows the rate of the first second */

int control_check_setup(const struct control *c, struct setup *s, struct op_error *e)
{
	struct collector_choice choice;
	struct event_plan plan;
	int err = setup_check(s, e);

	if (!err)
		err = collector_expect(&c->host, s, &choice, e);
	if (!err)
		err = event_plan_make(&choice, s, &plan, e);
	if (err)
		return err;
	event_plan_settle(&plan, s);
	event_plan_free(&plan);
	return 0;
}

static int check_rights(struct op_error *e)
{
	struct rights rights;

	return rights_find(true, &rights, e);
}

static void print_what_samples(const struct collector_choice *c)
{
	if (!c->counts) {
		printf("Will sample by time (%s): %s.\n", c->model, c->by_time);
		return;
	}
	printf("Will sample by the CPU's counters (%s):", c->model);
	for (unsigned int k = 0; k < (c->module ? 1 : c->kinds.nr); k++)
		printf("%s %s", k ? "," : "", c->kinds.kind[k].type->pretty);
	printf(".%s\n", c->watchdog_off ? " The NMI watchdog will be off while sampling." : "");
}

int action_init(struct control *c, struct op_error *e)
{
	struct collector_choice choice;
	int err = collector_choose(&c->host, &c->setup, &choice, e);
	bool done;

	if (err)
		return err;
	if (choice.no_module.text[0])
		printf("Will use perf_event_open(2) instead of the module: %s\n",
		       choice.no_module.text);
	if (!choice.module)
		err = check_rights(e);
	if (!err)
		print_what_samples(&choice);
	if (watchdog_restore(&c->host, &done, err ? NULL : e) && !err)
		err = -EIO;
	return err;
}

static void print_default_event(const struct event_plan *plan)
{
	struct strbuf spec = STRBUF_INIT;

	if (!plan->is_default)
		return;
	event_request_format(&plan->settled[0], &spec);
	printf("Using default event: %s\n", spec.text);
	strbuf_free(&spec);
}

static void print_notes(const struct event_plan *plan)
{
	for (const char *line = plan->notes.text; *line; line += strcspn(line, "\n") + 1)
		printf("Note: %.*s.\n", (int)strcspn(line, "\n"), line);
}

static int start_chosen(struct control *c, const struct collector_choice *choice,
			const struct event_plan *plan, struct op_error *e)
{
	int err;

	print_default_event(plan);
	if (choice->watchdog_off)
		printf("The NMI watchdog uses a counter; it is off until opcontrol --shutdown.\n");
	print_notes(plan);
	err = daemon_start(&c->setup, &c->host.driver, choice, plan, c->verbose,
			   c->prepare_service, e);
	if (err || c->prepare_service)
		return err;
	printf("Daemon started.\n");
	event_plan_settle(plan, &c->setup);
	if (c->unsaved)
		err = daemonrc_save(c->rc, &c->setup, e);
	c->unsaved = c->unsaved && err;
	return err;
}

/*
 * An interrupted start leaves neither a daemon nor the watchdog off: undo it, then die of the
 * signal. A daemon that is still on the terminal gets Ctrl-C itself.
 */
static void allow_interrupts(struct control *c)
{
	struct op_error e = { "" };

	if (interrupt_came()) {
		c->running = daemon_runs(c->setup.session_dir);
		if (c->running && action_shutdown(c, &e))
			report_error("%s", e.text);
		else if (!c->running)
			control_restore_watchdog(c);
		fflush(stdout);
	}
	interrupt_allow();
}

/* Silent, because it is not printed yet that the watchdog is off. */
static void undo_choice(const struct control *c)
{
	struct op_error why = { "" };
	bool done;

	if (watchdog_restore(&c->host, &done, &why))
		report_warning("%s", why.text);
}

static void bound_cost(const struct control *c, const struct collector_choice *choice,
		       struct event_plan *plan)
{
	event_plan_bound(plan, choice, &c->setup, c->host.sample_cost,
			 session_timer_period(c->setup.session_dir));
}

/* Not if the request is at fault. */
static int refer_to_doctor(int err, struct op_error *e)
{
	struct op_error why = *e;

	return err == -EINVAL ? err : op_error_set(e, err, "%s; see opdoctor(1)", why.text);
}

static int choose_collector(const struct control *c, struct collector_choice *choice,
			    struct op_error *e)
{
	int err = collector_choose(&c->host, &c->setup, choice, e);

	if (!err && !choice->module)
		err = check_rights(e);
	return err ? refer_to_doctor(err, e) : 0;
}

/* The caller frees *ret_plan. */
static int start_daemon(struct control *c, struct collector_choice *ret_choice,
			struct event_plan *ret_plan, struct op_error *e)
{
	struct event_plan plan = { .notes = STRBUF_INIT };
	struct collector_choice choice;
	int err = setup_check(&c->setup, e);

	if (!err)
		err = choose_collector(c, &choice, e);
	if (!err)
		err = event_plan_make(&choice, &c->setup, &plan, e);
	if (err) {
		undo_choice(c);
		return err;
	}
	bound_cost(c, &choice, &plan);
	err = start_chosen(c, &choice, &plan, e);
	if (err) {
		event_plan_free(&plan);
		control_restore_watchdog(c);
		return err;
	}
	*ret_choice = choice;
	*ret_plan = plan;
	return 0;
}

/* For users who expect counters: what is sampled instead, how often, and why. */
static void print_timer(const char *status, const struct collector_choice *choice,
		       const struct event_plan *plan)
{
	struct strbuf rate = STRBUF_INIT;
	char number[32], period[32];
	uint64_t ns = 0, khz = 0;

	if (answer_value(status, "period_ns", number, sizeof(number)))
		(void)number_parse_u64(number, &ns);
	if (answer_value(status, "clock_khz", number, sizeof(number)))
		(void)number_parse_u64(number, &khz);
	if (!ns || !khz)
		return;
	format_period(ns, period, sizeof(period));
	if (cost_bound_applies(&plan->bound)) {
		cost_bound_explain(&plan->bound, &rate);
		printf("Sampling by time (%s) every %s on each CPU: %s.\n", choice->by_time,
		       period, rate.text);
	} else {
		printf("Sampling by time every %s on each CPU: the rate of %" PRIu64 " cycles at %"
		       PRIu64 " MHz (%s).\n", period, plan->settled[0].count, khz / 1000,
		       choice->by_time);
	}
	strbuf_free(&rate);
}

int action_start_daemon(struct control *c, struct op_error *e)
{
	struct strbuf status = STRBUF_INIT;
	struct collector_choice choice;
	struct event_plan plan;
	int err;

	if (c->running)
		return 0;	/* CTL-102 */
	interrupt_defer();
	err = start_daemon(c, &choice, &plan, e);
	/* --start will not print the rate, because the daemon runs by then */
	if (!err && cost_bound_applies(&plan.bound) &&
	    !daemon_ask(c->setup.session_dir, "status", &status, NULL))
		print_timer(status.text, &choice, &plan);
	if (!err)
		event_plan_free(&plan);
	strbuf_free(&status);
	allow_interrupts(c);
	return err;
}

/* For the service's unit: what it needs from outside its sandbox, before and after the daemon. */
int action_service(struct control *c, const char *step, struct op_error *e)
{
	struct collector_choice choice;
	struct event_plan plan;
	int err;

	if (!strcmp(step, "finish")) {
		service_forget();
		return 0;
	}
	if (strcmp(step, "prepare") != 0)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --service: expected "
				    "prepare or finish", step);
	if (service_is_written())	/* by the opcontrol that starts the service */
		return 0;
	err = daemonrc_load_service(c->rc, &c->setup, e);
	if (err)
		return err;
	if (strcmp(c->setup.session_dir, SESSION_DIR_DEFAULT) != 0)
		return op_error_set(e, -EINVAL, "the service may write only to '%s', but the saved "
				    "session directory is '%s'; use opcontrol --start instead of "
				    "the service", SESSION_DIR_DEFAULT, c->setup.session_dir);
	c->prepare_service = true;
	err = start_daemon(c, &choice, &plan, e);
	if (!err)
		event_plan_free(&plan);
	return err;
}

static void print_counters(const char *status, const struct event_plan *plan)
{
	char model[32];

	answer_value(status, "model", model, sizeof(model));
	printf("Sampling by the CPU's counters (%s):", model);
	for (size_t i = 0; i < plan->nr; i++)
		printf("%s every %" PRIu64 " %s", i ? "," : "", plan->settled[i].count,
		       plan->settled[i].name);
	printf(".\n");
}

/*
 * The cost of events depends on how often they come, which only sampling shows: the daemon counts
 * for a second.
 */
static void warn_of_rate(const char *session_dir, const struct cost_bound *bound)
{
	const struct timespec pause = { .tv_nsec = 100 * NS_PER_MS };
	struct strbuf status = STRBUF_INIT, warning = STRBUF_INIT;
	int64_t until = now_ms() + RATE_MS;
	char number[32];
	uint64_t rate;

	while (now_ms() < until && !interrupt_came()) {
		nanosleep(&pause, NULL);
		strbuf_reset(&status);
		if (daemon_ask(session_dir, "status", &status, NULL))
			break;
		if (!answer_value(status.text, "rate", number, sizeof(number)) ||
		    number_parse_u64(number, &rate))
			continue;
		cost_bound_warn(bound, rate, &warning);
		if (warning.len)
			report_warning("%s", warning.text);
		break;
	}
	strbuf_free(&warning);
	strbuf_free(&status);
}

static void print_hidden_symbols(const char *status)
{
	char symbols[32];

	if (answer_value(status, "kernel_symbols", symbols, sizeof(symbols)) &&
	    !strcmp(symbols, "hidden"))
		printf("Kernel symbols are hidden, so reports cannot name kernel functions; "
		       "sysctl kernel.kptr_restrict=1, then --shutdown and --start.\n");
}

/* Prints the daemon's note about the session, if it has one. [CC-9] */
static int request_start(const char *session_dir, struct op_error *e)
{
	struct strbuf answer = STRBUF_INIT;
	char note[1024];
	int err = daemon_ask(session_dir, "start", &answer, e);

	if (!err && answer_value(answer.text, "note", note, sizeof(note)))
		printf("Note: %s.\n", note);
	strbuf_free(&answer);
	return err;
}

static int start_daemon_and_sampling(struct control *c, struct op_error *e)
{
	struct strbuf status = STRBUF_INIT;
	struct collector_choice choice;
	struct event_plan plan;
	int err = start_daemon(c, &choice, &plan, e);

	if (err)
		return err;
	err = request_start(c->setup.session_dir, e);
	if (!err && !daemon_ask(c->setup.session_dir, "status", &status, NULL)) {
		if (choice.counts)
			print_counters(status.text, &plan);
		else
			print_timer(status.text, &choice, &plan);
		print_hidden_symbols(status.text);
		if (choice.counts && plan.bound.cost_ns) {
			fflush(stdout);
			warn_of_rate(c->setup.session_dir, &plan.bound);
		}
	}
	event_plan_free(&plan);
	strbuf_free(&status);
	return err;
}

int action_start(struct control *c, struct op_error *e)
{
	int err = c->running ? request_start(c->setup.session_dir, e) : -ESRCH;

	if (err == -ESRCH) {	/* no daemon, or it has just ended */
		c->running = false;
		interrupt_defer();
		err = start_daemon_and_sampling(c, e);
		allow_interrupts(c);
	}
	if (!err)
		printf("Profiler running.\n");
	return err;
}

/* ophelp detects the CPU itself, unless only the module knows it. */
static int run_ophelp(const struct control *c, const struct collector_choice *choice,
		      struct op_error *e)
{
	char *dir = path_program_dir(), *beside = dir ? path_join(dir, "ophelp") : NULL;
	const char *argv[] = { "ophelp", "--cpu-type", choice->kinds.kind[0].type->name, NULL };
	struct cpu_kinds found;

	cpu_detect(c->host.root, &found);
	if (found.kind[0].type->clock_event)
		argv[1] = NULL;
	fflush(stdout);
	if (beside)
		execv(beside, (char *const *)argv);
	execvp("ophelp", (char *const *)argv);
	free(beside);
	free(dir);
	return op_error_set(e, -errno, "cannot run ophelp: %s", strerror(errno));
}

int action_list_events(struct control *c, struct op_error *e)
{
	struct collector_choice choice;
	int err = collector_expect(&c->host, &c->setup, &choice, e);

	if (err)
		return err;
	if (choice.counts)
		return run_ophelp(c, &choice, e);
	printf("Using timer interrupt (%s): the only event is " CPU_CLOCK_EVENT ".\n",
	       choice.by_time);
	return 0;
}
