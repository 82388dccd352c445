# what daemon/ builds
$(eval $(call library,libdaemon.a,daemon/perf_attribute.c daemon/perf_collector.c \
	daemon/perf_cookies.c daemon/perf_cpus.c daemon/perf_emit.c daemon/perf_events.c \
	daemon/perf_image_fd.c daemon/perf_maps.c daemon/perf_modules.c daemon/perf_order.c \
	daemon/perf_proc.c daemon/perf_process.c daemon/perf_records.c daemon/perf_ring.c \
	daemon/perf_rings.c))
