/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hybrid.c - the output of ophelp on a machine with two kinds of core
 *
 * Needs no such machine: the test passes the kinds of core to the parts of ophelp.
 */
#include "tests/tap.h"

#include <errno.h>

#include "control/ophelp/ophelp.h"
#include "events/data.h"
#include "libutil/file.h"

static struct help_cpus alder_lake(void)
{
	static const char *const names[] = { "i386/alderlake-p", "i386/alderlake-e" };
	static const char *const cpus[] = { "0-7", "8-15" };
	struct help_cpus h = { .nr = 2 };
	struct op_error e = { "" };

	for (unsigned int i = 0; i < h.nr; i++) {
		struct help_cpu *c = &h.cpu[i];

		c->kind.type = cpu_type_by_name(names[i]);
		c->kind.nr_counters = c->kind.type->nr_counters;
		strcpy(c->kind.cpus, cpus[i]);
		CHECK(!event_table_open(c->kind.type, &c->table, &e), "%s", e.text);
	}
	return h;
}

static void free_cpus(struct help_cpus *h)
{
	for (unsigned int i = 0; i < h->nr; i++)
		event_table_free(h->cpu[i].table);
}

/* The standard output of @run, by way of a file; the caller frees it. */
static char *
captured(int (*run)(const struct help_cpus *h, const char **events, struct op_error *e),
	 const struct help_cpus *h, const char **events, int *ret_err, struct op_error *e)
{
	FILE *file = tmpfile();
	int saved = dup(STDOUT_FILENO);
	char *text = NULL;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	*ret_err = run(h, events, e);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	lseek(fileno(file), 0, SEEK_SET);
	if (file_read_all_fd(fileno(file), 1 << 20, &text, NULL))
		exit(1);
	fclose(file);
	return text;
}

static int check_events(const struct help_cpus *h, const char **events, struct op_error *e)
{
	struct help_options o = { .action = HELP_CHECK, .events = events };

	while (events[o.nr_events])
		o.nr_events++;
	return help_answer(h, &o, e);
}

static int list_json(const struct help_cpus *h, const char **events, struct op_error *e)
{
	(void)events;
	(void)e;
	help_list_json(h, stdout);
	return 0;
}

static int list_xml(const struct help_cpus *h, const char **events, struct op_error *e)
{
	(void)events;
	(void)e;
	help_list_xml(h, false, stdout);
	return 0;
}

static int list_text(const struct help_cpus *h, const char **events, struct op_error *e)
{
	(void)events;
	(void)e;
	for (unsigned int i = 0; i < h->nr; i++)
		help_list_text(&h->cpu[i], OPHELP_WIDTH, false, stdout);
	return 0;
}

TEST(events_of_both_kinds)
{
	const char *events[] = { "CPU_CLK_UNHALTED:100000", "LLC_MISSES:6000", NULL };
	struct help_cpus h = alder_lake();
	struct op_error e = { "" };
	int err;
	char *out = captured(check_events, &h, events, &err, &e);

	CHECK(!err && !strcmp(out, "0 1 \n0 1 \n"), "%d, '%s'", err, out);
	free(out);
	free_cpus(&h);
}

/* Only the performance core has UOPS_DISPATCHED: one line, and a note about the other core. */
TEST(events_of_one_kind)
{
	const char *events[] = { "UOPS_DISPATCHED:6000:port_0", NULL };
	struct help_cpus h = alder_lake();
	struct op_error e = { "" };
	int err;
	char *out = captured(check_events, &h, events, &err, &e);

	CHECK(!err && !strcmp(out, "0 \n"), "%d, '%s', %s", err, out, e.text);
	free(out);
	free_cpus(&h);
}

TEST(events_of_no_kind)
{
	const char *events[] = { "NO_SUCH:6000", NULL };
	struct help_cpus h = alder_lake();
	struct op_error e = { "" };
	int err;
	char *out = captured(check_events, &h, events, &err, &e);

	CHECK(err == -ENOENT && !*out && strstr(e.text, "NO_SUCH"), "%d, '%s', %s", err, out,
	      e.text);
	free(out);
	free_cpus(&h);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text++)
		nr++;
	return nr;
}

TEST(lists_of_both_kinds)
{
	struct help_cpus h = alder_lake();
	struct op_error e = { "" };
	int err;
	char *text = captured(list_text, &h, NULL, &err, &e);
	char *xml = captured(list_xml, &h, NULL, &err, &e);
	char *json = captured(list_json, &h, NULL, &err, &e);

	CHECK(count(text, "available events for CPU type") == 2, "text");
	CHECK(strstr(text, "\nCPUs: 0-7\n") && strstr(text, "\nCPUs: 8-15\n"), "which CPUs");
	CHECK(count(xml, "<help_events ") == 2 && count(xml, "hybrid_cpus>") == 2, "one document");
	CHECK(count(json, "\"cpu_type\":") == 2 && strstr(json, "\"cpus\":\"8-15\""), "JSON");
	free(text);
	free(xml);
	free(json);
	free_cpus(&h);
}

TEST_MAIN()
