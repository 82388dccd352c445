// SPDX-License-Identifier: GPL-2.0-or-later
/* place.c - the forms of control groups' paths that runtimes make, and those that look alike */
#include "fleet/push/place.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ECS	"0123456789abcdef0123456789abcdef-1234567890"
#define UID	"01234567-89ab-cdef-0123-456789abcdef"
#define UID_	"01234567_89ab_cdef_0123_456789abcdef"
#define STATIC	"0123456789abcdef0123456789abcdef"
#define KUBE	"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice"

static const struct {
	const char *cgroup, *container, *pod, *unit;
} table[] = {
	{ "", "", "", "" },
	{ "/", "", "", "" },
	{ "/docker/" ID, ID, "", "" },
	{ "/system.slice/docker-" ID ".scope", ID, "", "" },
	{ "/system.slice/docker-" ID ".scope/init", ID, "", "" },
	{ "/kubepods/burstable/pod" UID "/" ID, ID, UID, "" },
	{ "/kubepods/pod" STATIC "/" ID, ID, STATIC, "" },
	{ KUBE "/docker-" ID ".scope", ID, UID, "" },
	{ KUBE "/cri-containerd-" ID ".scope", ID, UID, "" },
	{ KUBE "/cri-containerd-" ID, ID, UID, "" },
	{ "/system.slice/kubepods-besteffort-pod" UID_ ".slice:cri-containerd:" ID, ID, UID, "" },
	{ KUBE "/crio-" ID ".scope/container", ID, UID, "" },
	{ KUBE "/crio-conmon-" ID ".scope", "", UID, "crio-conmon-" ID ".scope" },
	{ "/machine.slice/libpod-" ID ".scope/container", ID, "", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", ID, "",
	  "" },
	{ "/system.slice/web.service/libpod-payload-" ID, ID, "", "web.service" },
	{ "/ecs/task/" ECS, ECS, "", "" },
	{ "/lxc/web", "web", "", "" },
	{ "/lxc.payload.web", "web", "", "" },
	{ "/lxc.payload.web/system.slice/nginx.service", "web", "", "nginx.service" },
	{ "/system.slice/nginx.service", "", "", "nginx.service" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "", "", "getty@tty1.service" },
	{ "/system.slice/dev-a\\x2db.service", "", "", "dev-a-b.service" },
	{ "/../system.slice/nginx.service", "", "", "nginx.service" },
	{ "/user.slice/user-0.slice/session-3.scope", "", "", "" },
	{ "/user.slice/user-1.slice/user@1.service/app.slice/app-gnome-x-7.scope", "", "", "" },
	{ "/init.scope", "", "", "" },
	{ "/system.slice/.service", "", "", "" },
	/* hex digits that are no container: too few, upper case, in a word */
	{ "/process_api/" STATIC, "", "", "" },
	{ "/docker/0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF", "", "", "" },
	{ "/x" ID, "", "", "" },
	{ "/kubepods/podx/y", "", "", "" },
	{ "/pod", "", "", "" },
};

TEST(each_form_is_recognized)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct push_place p;

		push_place_find(table[i].cgroup, &p);
		CHECK(!strcmp(p.container, table[i].container) && !strcmp(p.pod, table[i].pod) &&
		      !strcmp(p.unit, table[i].unit), "'%s': container '%s', pod '%s', unit '%s'",
		      table[i].cgroup, p.container, p.pod, p.unit);
	}
}

TEST(a_long_path_is_cut)
{
	char path[2000];
	struct push_place p;

	memset(path, 'a', sizeof(path));
	strcpy(path + sizeof(path) - sizeof(".service"), ".service");
	path[0] = '/';
	push_place_find(path, &p);
	CHECK(strlen(p.unit) == PUSH_PLACE_MAX - 1, "%zu bytes", strlen(p.unit));
}

static void look_up(struct push_node *node, const char *cgroup, struct push_place *p)
{
	push_place_find(cgroup, p);
	push_place_look_up(node, p);
}

TEST(a_pod_has_the_names_of_its_folder_of_logs)
{
	static const char *const folders[] = {
		"default_other_11111111-89ab-cdef-0123-456789abcdef", "shop_web-7d4_" UID, "x_" UID,
		UID, "kube-system_etcd-node1_" STATIC,
	};
	struct push_node node = { .root = tmpdir }, nowhere = { .root = "/nowhere" };
	struct push_place p;
	char *pods;

	tmpdir_make();
	pods = path_join(tmpdir, "var/log/pods");
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		char *path = path_join(pods, folders[i]);

		CHECK(!file_make_dirs(path, 0755), "%s", path);
		free(path);
	}
	look_up(&node, KUBE "/cri-containerd-" ID ".scope", &p);
	CHECK(!strcmp(p.pod_namespace, "shop") && !strcmp(p.pod_name, "web-7d4"), "%s %s",
	      p.pod_namespace, p.pod_name);
	CHECK(!file_remove_tree(pods), "%s", pods);	/* it is read once */
	look_up(&node, "/kubepods/burstable/pod" STATIC "/" ID, &p);
	CHECK(!strcmp(p.pod_namespace, "kube-system") && !strcmp(p.pod_name, "etcd-node1"),
	      "%s %s", p.pod_namespace, p.pod_name);
	look_up(&node, "/kubepods/burstable/pod22222222-89ab-cdef-0123-456789abcdef/" ID, &p);
	CHECK(*p.pod && !*p.pod_name && !*p.pod_namespace, "one that is gone: %s", p.pod_name);
	look_up(&node, "/system.slice/web.service", &p);
	CHECK(!*p.pod_name && !*p.pod_namespace, "no pod");
	look_up(&nowhere, KUBE "/cri-containerd-" ID ".scope", &p);
	CHECK(!*p.pod_name, "no folder");
	push_node_free(&node);
	push_node_free(&nowhere);
	free(pods);
}

#define TASKS	"run/containerd/io.containerd.runtime.v2.task/"

TEST(a_container_has_the_version_and_image_it_was_started_with)
{
	static const struct {
		const char *folder, *config, *version, *image;
	} cases[] = {
		{ TASKS "k8s.io/" ID,
		  "{'process':{'env':['A=b',1,"
		  "'OTEL_RESOURCE_ATTRIBUTES=a=b,service.version=1.2,c']},"
		  "'annotations':{'io.kubernetes.cri.image-name':'shop/web@sha256:1f',"
		  "'org.opencontainers.image.version':'9'}}", "1.2", "shop/web@sha256:1f" },
		{ "var/lib/containers/storage/overlay-containers/" ID "/userdata",
		  "{'process':{},'annotations':{'io.kubernetes.cri-o.ImageName':'web:3',"
		  "'org.opencontainers.image.version':'3'}}", "3", "web:3" },
		{ TASKS "moby/" ID,
		  "{'process':{'env':['OTEL_RESOURCE_ATTRIBUTES=service.version']}}", "", "" },
		{ TASKS "default/" ID,
		  "{'process':[],'annotations':{'io.kubernetes.cri.image-name':{}}}", "", "" },
		{ TASKS "k8s.io/" ID, "{", "", "" },
	};

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *root = xasprintf("%s/%zu", tmpdir, i);
		char *folder = path_join(root, cases[i].folder);
		char *path = path_join(folder, "config.json");
		struct push_node node = { .root = root };
		char *config = xstrdup(cases[i].config);
		struct push_place p;

		for (char *c = config; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		CHECK(!file_make_dirs(folder, 0755), "%s", folder);
		CHECK(!file_write_atomic(path, config, strlen(config), 0644), "%s", path);
		look_up(&node, "/docker/" ID, &p);
		CHECK(!strcmp(p.version, cases[i].version) && !strcmp(p.image, cases[i].image),
		      "%zu: '%s' '%s'", i, p.version, p.image);
		push_node_free(&node);
		free(config);
		free(path);
		free(folder);
		free(root);
	}
}

TEST_MAIN()
