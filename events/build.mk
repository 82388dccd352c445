# what events/ builds
$(eval $(call library,libevents.a,$(call sources,events events/cpu events/table),libutil.a,-ldl))

# programs look for the tables beside their own folder
$(eval $(call uses_dir,events/data.o,OP_DATA_DIR,$(pkgdatadir)))
$(O)/share/oprofile:
	@mkdir -p $(@D)
	$(Q)ln -sfn $(CURDIR)/events $@
data := $(O)/share/oprofile
