# what events/ builds
$(eval $(call library,libevents.a,$(call sources,events events/cpu events/table),libutil.a,-ldl))

# programs look for the tables beside their own folder
$(O)/events/data.o: cppflags += -DOP_DATA_DIR='"$(PREFIX)/share/oprofile"'
$(O)/share/oprofile:
	@mkdir -p $(@D)
	$(Q)ln -sfn $(CURDIR)/events $@
data := $(O)/share/oprofile
