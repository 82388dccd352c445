# what daemon/ builds
$(eval $(call library,libdaemon.a,daemon/anon.c daemon/asked_events.c daemon/attribute.c \
	daemon/attribute_extended.c daemon/attribute_stack.c daemon/binaries.c daemon/binary_copy.c \
	daemon/cgroup_handle.c daemon/cgroups.c daemon/comms.c \
	daemon/control.c daemon/control_requests.c daemon/control_status.c daemon/cookie.c \
	daemon/device.c daemon/device_counts.c daemon/device_events.c daemon/device_ibs.c \
	daemon/event_options.c daemon/ext_feature.c daemon/ibs.c daemon/ibs_config.c \
	daemon/ibs_events.c daemon/ibs_log.c daemon/perf_ibs.c daemon/image.c \
	daemon/kernel.c daemon/kernel_snapshot.c libutil/log.c daemon/options.c \
	daemon/parts.c daemon/process.c libutil/quiet_path.c daemon/recorder.c \
	daemon/recorder_apart.c \
	daemon/recorder_session.c daemon/recorder_times.c daemon/recorder_words.c \
	daemon/sfile.c daemon/sfile_batch.c daemon/sfile_open.c \
	daemon/sfile_trouble.c daemon/stacks.c daemon/stats.c daemon/trans.c daemon/trans_chain.c \
	daemon/trans_notes.c daemon/perf_attribute.c daemon/perf_callers.c \
	daemon/perf_answers.c daemon/perf_callers_setup.c daemon/perf_cgroups.c daemon/perf_chain.c \
	daemon/perf_comms.c \
	daemon/perf_tables.c daemon/perf_unwind.c \
	daemon/perf_collector.c daemon/perf_cookies.c daemon/perf_copy_size.c \
	daemon/perf_counters.c daemon/perf_cpus.c daemon/perf_emit.c daemon/perf_events.c \
	daemon/perf_explain.c \
	daemon/perf_image_fd.c daemon/perf_maps.c daemon/perf_modules.c daemon/perf_mounts.c \
	daemon/perf_note.c \
	daemon/perf_open.c daemon/perf_order.c daemon/perf_proc.c daemon/perf_proc_read.c \
	daemon/perf_process.c daemon/perf_records.c daemon/perf_ring.c daemon/perf_rings.c \
	daemon/perf_rings_sums.c daemon/perf_targets.c \
	unwind/build.c unwind/cache.c unwind/cfi.c unwind/elf.c \
	unwind/expression.c unwind/key.c unwind/plt.c \
	unwind/program.c daemon/unwind_push.c \
	unwind/rows.c unwind/rules.c unwind/section.c \
	unwind/signal.c unwind/vdso.c \
	daemon/jit_code.c daemon/jit_convert.c daemon/jit_debug.c daemon/jit_deaths.c \
	daemon/jit_dump.c \
	daemon/jit_files.c daemon/jit_jitdump.c daemon/jit_layout.c daemon/jit_live.c \
	daemon/jit_object.c daemon/jit_owner.c daemon/jit_perf_map.c daemon/jit_places.c \
	daemon/jit_objects.c daemon/jit_processes.c daemon/jit_sweep.c))
$(eval $(call program,oprofiled,daemon/main.c daemon/set_up.c,\
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -pthread))
$(eval $(call program,opjitconv,daemon/opjitconv.c,\
	libdaemon.a libdb.a libbuildid.a libutil.a,-lpopt))
