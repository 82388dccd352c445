// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c - targets, rules and files of options: what is taken and what is refused */
#include "fleet/push/options.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(targets)
{
	static const struct { const char *text, *name, *kind, *place; } good[] = {
		{ "folder:out", "folder", "folder", "out" },
		{ "folder:/a=b:c", "folder", "folder", "/a=b:c" },
		{ "pyroscope:https://host:4040", "pyroscope", "pyroscope", "https://host:4040" },
		{ "eu-1=otlp:http://[::1]:4318/x?a=b@c", "eu-1", "otlp",
		  "http://[::1]:4318/x?a=b@c" },
	};
	static const char *const bad[] = {
		"", "folder", "folder:", "x:y", ":out", "=folder:out", "A=folder:out",
		"a/b=folder:out", "../x=folder:out", "pyroscope:host:4040", "pyroscope:file:///x",
		"pyroscope:http://", "pyroscope:http:///x", "pyroscope:https://user:pw@host/",
		"pyroscope:https://host/a b", "pyroscope:https://host/\n",
		"pyroscope:http://host/#x", "clickhouse:http://host/?a=b", "otlp:http://:4318",
	};
	struct push_target t;
	struct op_error e;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CHECK(!push_target_parse(good[i].text, &t, &e), "'%s': %s", good[i].text, e.text);
		CHECK(!strcmp(t.name, good[i].name) && !strcmp(t.kind->name, good[i].kind) &&
		      !strcmp(t.place, good[i].place), "%s %s %s", t.name, t.kind->name, t.place);
		free(t.name);
		free(t.place);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		*e.text = '\0';
		CHECK(push_target_parse(bad[i], &t, &e) && *e.text, "'%s' was taken", bad[i]);
		CHECK(!strstr(e.text, "pw"), "a password is shown: %s", e.text);
	}
}

TEST(files_of_options)
{
	char good[] = "# targets\n\ntarget=folder:/x\n  once \nlabel=a=b,c=d\r\n";
	static const char *const words[] = { "folder:/x", "--once", "--label=a=b,c=d" };
	static const char *const bad[] = { "--once\n", "a\n=b\n", "config=x\n", "config\n",
					   "target=--help\n", "target=\n" };
	struct op_error e = { "" };
	char **got, text[64];
	size_t nr;

	CHECK(!push_config_words(good, strlen(good), "f", &got, &nr, &e) && nr == 3, "%s", e.text);
	for (size_t i = 0; i < nr; i++)
		CHECK(!strcmp(got[i], words[i]), "'%s'", got[i]);
	push_config_free(got, nr);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		strcpy(text, bad[i]);
		CHECK(push_config_words(text, strlen(text), "f", &got, &nr, &e) == -EPROTO &&
		      !strncmp(e.text, "f:", 2), "'%s': %s", bad[i], e.text);
	}
}

TEST(rules)
{
	struct push_rules r;
	struct op_error e = { "" };
	static const struct { const char *labels, *renames, *drops, *privacy, *max; } bad[] = {
		{ .labels = "a" }, { .labels = "a=" }, { .labels = "1a=b" }, { .labels = "a b=c" },
		{ .labels = "__name__=x" }, { .labels = "a=b,a=c" }, { .labels = "a\"=x" },
		{ .renames = "a=b-c" }, { .renames = "a=" }, { .drops = "a=b" }, { .max = "0" },
		{ .privacy = "paths" }, { .privacy = "paths:keep" }, { .privacy = "lines:drop" },
	};

	CHECK(!push_rules_parse("env=a=b,x=\n", "host=machine", "boot,unit",
				"paths:hash,names:drop", "7", &r, &e), "%s", e.text);
	CHECK(!strcmp(push_labels_find(&r.own, "env"), "a=b") &&
	      !strcmp(push_labels_find(&r.own, "x"), "?") &&
	      !strcmp(push_labels_find(&r.renamed, "host"), "machine") &&
	      push_labels_find(&r.dropped, "unit") && r.max_series == 7 &&
	      r.paths == PUSH_HASH && r.names == PUSH_DROP, "parsed otherwise");
	push_rules_free(&r);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		*e.text = '\0';
		CHECK(push_rules_parse(bad[i].labels, bad[i].renames, bad[i].drops, bad[i].privacy,
				       bad[i].max, &r, &e) == -EINVAL && *e.text,
		      "%zu was taken", i);
		push_rules_free(&r);
	}
}

TEST_MAIN()
