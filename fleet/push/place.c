// SPDX-License-Identifier: GPL-2.0-or-later
/* place.c - how systemd, Docker, Podman, LXC, Kubernetes and ECS call their control groups */
#include "fleet/push/place.h"

#include <dirent.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "formats/file/json_tree.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define HEX		"0123456789abcdef"
#define CONTAINER_HEX	64
#define ECS_HEX		32
#define UID_HEX		32	/* of a pod; 36 characters with dashes */
#define CONFIG_MAX	((size_t)1 << 20)

/* A component of the path, or a part of one. */
struct piece {
	const char *at;
	size_t len;
};

static bool begins(struct piece p, const char *with)
{
	return p.len >= strlen(with) && !memcmp(p.at, with, strlen(with));
}

static bool drop_end(struct piece *p, const char *end)
{
	size_t len = strlen(end);

	if (p->len < len || memcmp(p->at + p->len - len, end, len) != 0)
		return false;
	p->len -= len;
	return true;
}

/* The leading characters of @p that are of @set. */
static size_t span(struct piece p, const char *set)
{
	size_t n = 0;

	while (n < p.len && p.at[n] && strchr(set, p.at[n]))
		n++;
	return n;
}

static void copy(char *to, struct piece p)
{
	size_t len = p.len < PUSH_PLACE_MAX ? p.len : PUSH_PLACE_MAX - 1;

	memcpy(to, p.at, len);
	to[len] = '\0';
}

/* 64 hex digits at the end, as all runtimes for OCI images have them; those of ECS. */
static bool is_container(struct piece p, struct piece *ret)
{
	const char *before;

	if (memmem(p.at, p.len, "conmon-", 7))	/* what watches one */
		return false;
	drop_end(&p, ".scope");
	*ret = p;
	if (p.len > ECS_HEX + 1 && span(p, HEX) == ECS_HEX && p.at[ECS_HEX] == '-' &&
	    span((struct piece){ p.at + ECS_HEX + 1, p.len - ECS_HEX - 1 }, "0123456789") ==
	    p.len - ECS_HEX - 1)
		return true;
	if (p.len < CONTAINER_HEX)
		return false;
	*ret = (struct piece){ p.at + p.len - CONTAINER_HEX, CONTAINER_HEX };
	before = ret->at - 1;
	return span(*ret, HEX) == CONTAINER_HEX &&
	       (p.len == CONTAINER_HEX || *before == '-' || *before == ':');
}

/* "pod<uid>", "kubepods-besteffort-pod<uid>.slice", ".slice:cri-containerd:..." behind it */
static bool is_pod(struct piece p, char *ret)
{
	const char *slice = memmem(p.at, p.len, ".slice", 6);
	size_t digits = 0;

	if (slice)
		p.len = (size_t)(slice - p.at);
	for (size_t i = p.len; i-- > 0;) {
		struct piece uid = { p.at + i + 3, p.len - i - 3 };

		if (p.len - i <= 3 || memcmp(p.at + i, "pod", 3) != 0)
			continue;
		if (span(uid, HEX "-_") != uid.len)
			return false;
		copy(ret, uid);
		break;
	}
	for (char *at = ret; *at; at++) {
		if (*at == '_')
			*at = '-';
		digits += *at != '-';
	}
	if (digits != UID_HEX)
		*ret = '\0';
	return *ret;
}

/* Scopes of sessions and applications of users are no services, nor are the users' managers. */
static bool is_unit(struct piece p)
{
	struct piece name = p;

	if (drop_end(&name, ".service"))
		return name.len && !begins(p, "user@");
	return drop_end(&name, ".scope") && name.len && !begins(p, "session-") &&
	       !begins(p, "app-") && !begins(p, "run-") && !begins(p, "init.");
}

/* systemd writes "\x2d" for a dash in the name of what a unit is for. */
static void unescape_dashes(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		bool is_dash = !strncmp(at, "\\x2d", 4);

		*to++ = is_dash ? '-' : *at;
		at += is_dash ? 3 : 0;
	}
	*to = '\0';
}

void push_place_find(const char *cgroup, struct push_place *ret)
{
	struct piece p, id;
	bool is_lxc = false;

	*ret = (struct push_place){ .container = "" };
	for (const char *at = cgroup; *at; at = p.at + p.len) {
		at += strspn(at, "/");
		p = (struct piece){ at, strcspn(at, "/") };
		if (is_container(p, &id)) {
			copy(ret->container, id);
			if (!*ret->pod)
				is_pod(p, ret->pod);
		} else if (is_lxc || begins(p, "lxc.payload.")) {
			copy(ret->container, is_lxc ? p : (struct piece){ p.at + 12, p.len - 12 });
		} else if (begins(p, "pod") || begins(p, "kubepods")) {
			is_pod(p, ret->pod);
		} else if (is_unit(p)) {
			copy(ret->unit, p);
			unescape_dashes(ret->unit);
		}
		is_lxc = p.len == 3 && begins(p, "lxc") && !*ret->container;
	}
}

/* --- what the node knows --- */

/* No name of Kubernetes has a '_'. */
static void name_pod(struct push_node *node, struct push_place *p)
{
	if (!node->has_pods) {
		char *folder = xasprintf("%s/var/log/pods", node->root);

		node->nr_pods = scandir(folder, &node->pods, NULL, NULL);
		node->has_pods = true;
		free(folder);
	}
	for (int i = 0; i < node->nr_pods; i++) {
		const char *pod = node->pods[i]->d_name, *name = strchr(pod, '_');
		const char *uid = name ? strchr(name + 1, '_') : NULL;

		if (!uid || strcmp(uid + 1, p->pod) != 0)
			continue;
		copy(p->pod_namespace, (struct piece){ pod, (size_t)(name - pod) });
		copy(p->pod_name, (struct piece){ name + 1, (size_t)(uid - name - 1) });
		break;
	}
}

static bool copy_text(char *to, const char *text)
{
	copy(to, (struct piece){ text, strlen(text) });
	return *to;
}

/* As OpenTelemetry has it: "OTEL_RESOURCE_ATTRIBUTES=NAME=VALUE,service.version=1.2" */
static bool find_version(const char *variable, char *to)
{
	static const char list[] = "OTEL_RESOURCE_ATTRIBUTES=", name[] = "service.version=";

	if (strncmp(variable, list, strlen(list)) != 0)
		return false;
	for (const char *at = variable + strlen(list); *at; at += *at == ',') {
		struct piece p = { at, strcspn(at, ",") };

		at += p.len;
		if (begins(p, name)) {
			copy(to, (struct piece){ p.at + strlen(name), p.len - strlen(name) });
			return true;
		}
	}
	return false;
}

static void read_config(const json_t *config, struct push_place *p)
{
	static const char *const images[] = { "io.kubernetes.cri.image-name",
					      "io.kubernetes.cri-o.ImageName" };
	const json_t *notes = json_object_get(config, "annotations"), *variable;
	size_t i;

	json_array_foreach (json_object_get(json_object_get(config, "process"), "env"), i, variable)
		if (json_is_string(variable) &&
		    find_version(json_string_value(variable), p->version))
			break;
	if (!*p->version)
		copy_text(p->version, json_member_text(notes, "org.opencontainers.image.version"));
	for (i = 0; i < 2 && !copy_text(p->image, json_member_text(notes, images[i])); i++)
		;
}

/* Containers of LXC have names, and no such file. */
static void read_container(const char *root, struct push_place *p)
{
	static const struct {
		const char *folder, *file;
	} places[] = {
		{ "/run/containerd/io.containerd.runtime.v2.task/k8s.io/", "/config.json" },
		{ "/run/containerd/io.containerd.runtime.v2.task/moby/", "/config.json" },
		{ "/run/containerd/io.containerd.runtime.v2.task/default/", "/config.json" },
		{ "/var/lib/containers/storage/overlay-containers/", "/userdata/config.json" },
	};
	char *text = NULL;
	json_t *config;
	struct op_error e;
	size_t len;

	if (strspn(p->container, HEX) != CONTAINER_HEX)
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !text; i++) {
		char *path = xasprintf("%s%s%s%s", root, places[i].folder, p->container,
				       places[i].file);

		if (file_read_all(path, CONFIG_MAX, &text, &len))
			text = NULL;
		free(path);
	}
	if (text && !json_tree_read((const unsigned char *)text, len, &config, &e)) {
		read_config(config, p);
		json_decref(config);
	}
	free(text);
}

void push_place_look_up(struct push_node *node, struct push_place *p)
{
	if (*p->pod)
		name_pod(node, p);
	if (*p->container)
		read_container(node->root, p);
}

void push_node_free(struct push_node *node)
{
	for (int i = 0; i < node->nr_pods; i++)
		free(node->pods[i]);
	free(node->pods);
}
