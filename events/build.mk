# what events/ builds
$(eval $(call library,libevents.a,events/cpu/type.c events/table/text.c events/table/events_parse.c \
	events/table/masks_parse.c events/table/resolve.c events/table/table.c events/table/unit_mask.c \
	events/data.c events/request.c events/resolve.c events/counter_alloc.c \
	events/encode.c events/coded.c events/cpu/pfm_names.c events/cpu/kernel_events.c \
	events/cpu/machine_events.c events/cpu/detect.c events/cpu/detect_x86.c \
	events/cpu/detect_arm.c))

# programs look for the tables beside their own folder
$(O)/events/data.o: CPPFLAGS += -DOP_DATA_DIR='"$(PREFIX)/share/oprofile"'
$(O)/share/oprofile:
	@mkdir -p $(@D)
	$(Q)ln -sfn $(CURDIR)/events $@
data := $(O)/share/oprofile
