// SPDX-License-Identifier: GPL-2.0-or-later
/* series.c - labels of samples, their bound, and what privacy leaves of names */
#include "fleet/push/series.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static const struct session_info info = { .host = "machine", .kernel = "6.1" };

static uint32_t label(struct profile *p, const char *comm, const char *cgroup)
{
	const struct profile_label labels[] = {
		{ .key = profile_string(p, "comm"), .text = profile_string(p, comm) },
		{ .key = profile_string(p, "cgroup"), .text = profile_string(p, cgroup) },
		{ .key = profile_string(p, "pid"), .number = (int64_t)p->nr_samples },
	};

	return profile_label_set(p, labels, ARRAY_SIZE(labels));
}

static void add(struct profile *p, int64_t samples, const char *comm, const char *cgroup)
{
	uint32_t set = label(p, comm, cgroup);

	*profile_add_sample(p, PROFILE_NONE, set) = samples;
}

static struct profile *new_profile(void)
{
	struct profile *p = profile_new();
	const struct profile_event event = { .name = profile_string(p, "cpu"),
					     .unit = profile_string(p, "nanoseconds"),
					     .period = 10000000 };

	profile_add_event(p, &event);
	return p;
}

static const char *value(const struct push_series *s, uint32_t sample, const char *name)
{
	const char *found = push_labels_find(&s->list[s->of[sample]], name);

	return found ? found : "";
}

TEST(labels_are_found_renamed_and_dropped)
{
	struct profile *p = new_profile();
	struct push_rules rules;
	struct push_series s;
	struct op_error e;

	add(p, 1, "nginx", "/system.slice/web.service");
	add(p, 2, "worker", "/system.slice/web.service");
	add(p, 3, "app\n\x1b[31m\"}", "/docker/0123456789abcdef0123456789abcdef"
	    "0123456789abcdef0123456789abcdef");
	CHECK(!push_rules_parse("env=test,kernel=mine", "host=node", "unit", NULL, NULL, &rules,
				&e), "%s", e.text);
	push_series_make(&rules, p, &info, 0, &s);
	CHECK(s.nr == 2 && s.of[0] == s.of[1], "%u series", s.nr);
	CHECK(!strcmp(value(&s, 0, "service"), "web") && !strcmp(value(&s, 0, "node"), "machine") &&
	      !strcmp(value(&s, 0, "env"), "test") && !strcmp(value(&s, 0, "kernel"), "mine") &&
	      !*value(&s, 0, "unit") && !*value(&s, 0, "host") && !*value(&s, 0, "boot"), "labels");
	CHECK(!strcmp(value(&s, 2, "service"), "app\?\?[31m\"}") &&
	      strlen(value(&s, 2, "container")) == 64, "service '%s'", value(&s, 2, "service"));
	for (size_t i = 1; i < s.list[0].nr; i++)
		CHECK(strcmp(s.list[0].list[i - 1].name, s.list[0].list[i].name) < 0, "order");
	push_series_free(&s);
	push_rules_free(&rules);
	profile_free(p);
}

TEST(pods_are_named)
{
	const char *cgroup = "/kubepods/pod01234567-89ab-cdef-0123-456789abcdef";
	struct profile *p = new_profile();
	struct push_rules rules;
	struct push_series s;
	struct op_error e;
	char *path;

	tmpdir_make();
	path = path_join(tmpdir, "var/log/pods/shop_web-1_01234567-89ab-cdef-0123-456789abcdef");
	CHECK(!file_make_dirs(path, 0755), "%s", path);
	free(path);
	add(p, 1, "nginx", cgroup);
	CHECK(!push_rules_parse(NULL, NULL, NULL, NULL, NULL, &rules, &e), "%s", e.text);
	rules.root = tmpdir;
	push_series_make(&rules, p, &info, 0, &s);
	CHECK(!strcmp(value(&s, 0, "namespace"), "shop") &&
	      !strcmp(value(&s, 0, "pod_name"), "web-1"), "'%s'", value(&s, 0, "pod_name"));
	push_series_free(&s);
	push_rules_free(&rules);
	profile_free(p);
}

TEST(series_are_bounded)
{
	struct profile *p = new_profile();
	struct push_rules rules;
	struct push_series s;
	struct op_error e;
	char name[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "task%d", i);
		add(p, i == 500 ? 1000 : 1, name, "");
	}
	CHECK(!push_rules_parse(NULL, NULL, NULL, NULL, "10", &rules, &e), "%s", e.text);
	push_series_make(&rules, p, &info, 0, &s);
	CHECK(s.nr == 10, "%u series", s.nr);
	CHECK(!strcmp(value(&s, 500, "service"), "task500"), "the largest is kept");
	CHECK(!strcmp(value(&s, 999, "service"), SERVICE_OTHER), "'%s'", value(&s, 999, "service"));
	for (uint32_t i = 0; i < p->nr_samples; i++)
		CHECK(s.of[i] < s.nr, "sample %u has none", i);
	push_series_free(&s);
	push_rules_free(&rules);
	profile_free(p);
}

static uint32_t place(struct profile *p, uint32_t image, const char *name)
{
	const struct profile_function f = { .name = profile_string(p, name),
					    .file = profile_string(p, "/src/x.c") };
	const struct profile_line line = { profile_function(p, &f), 1 };

	return profile_place(p, image, 16, &line, 1);
}

static struct profile *hidden(const char *privacy, const char *salt)
{
	struct profile *p = new_profile();
	struct profile_image file = { .path = profile_string(p, "/opt/secret/app"), .limit = 99 };
	struct profile_image kernel = { .path = profile_string(p, "kallsyms"),
					.kind = PROFILE_KERNEL };
	struct push_rules rules;
	struct op_error e;

	place(p, profile_add_image(p, &file), "secret");
	place(p, profile_add_image(p, &kernel), "schedule");
	place(p, 0, "[app+0x10]");
	profile_comment(p, "secret command");
	CHECK(!push_rules_parse(NULL, NULL, NULL, privacy, NULL, &rules, &e), "%s", e.text);
	rules.salt = salt;
	push_privacy_apply(&rules, p);
	push_rules_free(&rules);
	return p;
}

TEST(names_and_paths_are_hidden)
{
	struct profile *hashed = hidden("names:hash,paths:hash", NULL);
	struct profile *salted = hidden("names:hash", "salt");
	struct profile *dropped = hidden("names:drop,paths:drop", NULL);
	struct profile *no_paths = hidden("paths:drop", NULL);
	struct profile *hashed_paths = hidden("paths:hash", NULL);
	/* printf secret | sha256sum | cut -c1-32 */
	const char *digest = "2bb80d537b1da3e38bd30361aa855686";

	CHECK(!strcmp(profile_text(hashed, hashed->functions[0].name), digest), "%s",
	      profile_text(hashed, hashed->functions[0].name));
	CHECK(strlen(profile_text(hashed, hashed->images[0].path)) == 32, "path");
	CHECK(!strcmp(profile_text(hashed, hashed->functions[1].name), "schedule") &&
	      !strcmp(profile_text(hashed, hashed->images[1].path), "kallsyms"), "kernel");
	CHECK(!hashed->nr_comments, "comments");
	CHECK(strcmp(profile_text(salted, salted->functions[0].name), digest) != 0, "no salt");
	CHECK(!strcmp(profile_text(salted, salted->images[0].path), "/opt/secret/app"), "path");
	CHECK(!dropped->places[0].lines && dropped->places[1].lines &&
	      !dropped->images[0].path && dropped->images[1].path, "dropped");
	/* which a function's name may have a part of */
	CHECK(no_paths->places[0].lines && !no_paths->places[2].lines &&
	      strlen(profile_text(hashed_paths, hashed_paths->functions[2].name)) == 32 &&
	      !strcmp(profile_text(hashed_paths, hashed_paths->functions[0].name), "secret"),
	      "'%s'", profile_text(hashed_paths, hashed_paths->functions[2].name));
	profile_free(hashed);
	profile_free(salted);
	profile_free(dropped);
	profile_free(no_paths);
	profile_free(hashed_paths);
}

TEST_MAIN()
