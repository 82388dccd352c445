# fuzz targets of events/
$(eval $(call fuzz_target,events_table,tests/fuzz/events_table.c,libevents.a libutil.a,-ldl))
