// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jvmti_agent.c - report the code that a Java virtual machine compiles to libopagent
 *
 *	java -agentpath:.../libjvmti_oprofile.so[=version|debug] ...
 *
 * version: print the version of this agent. debug: print each event. A failure to write is reported
 * once; it costs names in reports, but never stops the program [JT-16].
 */
#include <errno.h>
#include <jvmti.h>
#include <jvmticmlr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libagent/jvmti_lines.h"
#include "libagent/opagent.h"

#define METHOD_NAME_MAX	4096		/* bytes; readers truncate longer names anyway */

static op_agent_t agent;
static bool debug, has_failed;

static void print_error(const char *text)
{
	fprintf(stderr, "libjvmti_oprofile: %s\n", text);
}

static void check(int status, const char *what)
{
	if (!status || has_failed)
		return;
	has_failed = true;
	fprintf(stderr, "libjvmti_oprofile: cannot write %s: %s; reports will lack names of "
		"compiled code\n", what, strerror(errno));
}

/* Class, method and signature in the virtual machine's spelling: "LMain;run(I)V" [JT-16]. */
static bool method_name(jvmtiEnv *jvmti, jmethodID method, char *name, size_t size)
{
	char *class_name = NULL, *own = NULL, *signature = NULL;
	jclass class;
	bool ok;

	ok = (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE &&
	     (*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL) == JVMTI_ERROR_NONE &&
	     (*jvmti)->GetMethodName(jvmti, method, &own, &signature, NULL) == JVMTI_ERROR_NONE;
	if (ok)
		snprintf(name, size, "%s%s%s", class_name, own, signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)own);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return ok;
}

static void write_lines(jvmtiEnv *jvmti, jmethodID method, const void *code, jint map_length,
			const jvmtiAddrLocationMap *map, const void *compile_info)
{
	struct jvmti_lines lines;

	jvmti_lines_read(jvmti, method, map_length, map, compile_info, &lines);
	if (lines.nr)
		check(op_write_debug_line_info(agent, code, lines.nr, lines.lines),
		      "line numbers");
	jvmti_lines_free(&lines);
}

static void JNICALL method_loaded(jvmtiEnv *jvmti, jmethodID method, jint size, const void *code,
				  jint map_length, const jvmtiAddrLocationMap *map,
				  const void *compile_info)
{
	char name[METHOD_NAME_MAX];

	if (size <= 0 || !method_name(jvmti, method, name, sizeof(name)))
		return;
	if (debug)
		fprintf(stderr, "libjvmti_oprofile: loaded %p, %d bytes: %s\n", code, (int)size,
			name);
	check(op_write_native_code(agent, name, (uintptr_t)code, code, (unsigned int)size), "code");
	write_lines(jvmti, method, code, map_length, map, compile_info);
}

static void JNICALL method_unloaded(jvmtiEnv *jvmti, jmethodID method, const void *code)
{
	(void)jvmti;
	(void)method;
	if (debug)
		fprintf(stderr, "libjvmti_oprofile: unloaded %p\n", code);
	check(op_unload_native_code(agent, (uintptr_t)code), "unloaded code");
}

/* The interpreter, stubs and so on. */
static void JNICALL code_generated(jvmtiEnv *jvmti, const char *name, const void *code, jint size)
{
	(void)jvmti;
	if (size <= 0)
		return;
	if (debug)
		fprintf(stderr, "libjvmti_oprofile: generated %p, %d bytes: %s\n", code, (int)size,
			name);
	check(op_write_native_code(agent, name, (uintptr_t)code, code, (unsigned int)size), "code");
}

static bool parse_options(const char *options)
{
	if (!options || !*options)
		return true;
	if (!strcmp(options, "version")) {
		fprintf(stderr, "libjvmti_oprofile: version " OP_VERSION ", interface %d.%d\n",
			op_major_version(), op_minor_version());
		return true;
	}
	debug = !strcmp(options, "debug");
	if (!debug)
		fprintf(stderr, "libjvmti_oprofile: unknown option '%s': expected version or "
			"debug\n", options);
	return debug;
}

static bool enable_events(jvmtiEnv *jvmti)
{
	static const jvmtiEvent events[] = { JVMTI_EVENT_COMPILED_METHOD_LOAD,
					     JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
					     JVMTI_EVENT_DYNAMIC_CODE_GENERATED };
	jvmtiEventCallbacks callbacks = {
		.CompiledMethodLoad = method_loaded,
		.CompiledMethodUnload = method_unloaded,
		.DynamicCodeGenerated = code_generated,
	};
	jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_get_line_numbers = 1,
		.can_get_source_file_name = 1,
	};

	if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)
		return false;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL) !=
		    JVMTI_ERROR_NONE)
			return false;
	return true;
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL
Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiEnv *jvmti;

	(void)reserved;
	if (!parse_options(options))
		return JNI_ERR;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_1) != JNI_OK) {
		print_error("unsupported virtual machine: JVM TI 1.1 or later is missing");
		return JNI_ERR;
	}
	agent = op_open_agent();
	if (!agent) {
		fprintf(stderr, "libjvmti_oprofile: cannot create a dump of compiled code: %s\n",
			strerror(errno));
		return JNI_ERR;
	}
	if (!enable_events(jvmti)) {
		print_error("unsupported virtual machine: cannot enable events for compiled code");
		return JNI_ERR;
	}
	return JNI_OK;
}

__attribute__((visibility("default"))) JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
	if (agent)
		check(op_close_agent(agent), "the end of the dump");
	agent = NULL;
}
