# what events/ builds
$(eval $(call library,libevents.a,events/cpu_type.c events/table_text.c events/events_parse.c \
	events/masks_parse.c events/table_resolve.c events/event_table.c events/unit_mask.c \
	events/event_data.c events/event_request.c events/event_resolve.c events/counter_alloc.c \
	events/event_encode.c events/event_coded.c events/pfm_names.c events/kernel_events.c \
	events/machine_events.c events/cpu_detect.c events/cpu_detect_x86.c \
	events/cpu_detect_arm.c))

# programs look for the tables beside their own folder
$(O)/events/event_data.o: CPPFLAGS += -DOP_DATA_DIR='"$(PREFIX)/share/oprofile"'
$(O)/share/oprofile:
	@mkdir -p $(@D)
	$(Q)ln -sfn $(CURDIR)/events $@
data := $(O)/share/oprofile
