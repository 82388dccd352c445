# build.mk - release tarball and packages, made of the last commit
dist_name := oprofile-ng-$(VERSION)
tarball   := $(O)/$(dist_name).tar.gz

.PHONY: dist distcheck
dist:					## make a tarball of the last commit, the same bytes each time
	$(Q)mkdir -p $(O)
	$(Q)git archive --prefix=$(dist_name)/ HEAD | gzip -9n > $(tarball)
	@echo $(tarball)

distcheck: dist				## build, test, install and remove it elsewhere
	$(Q)packaging/distcheck $(tarball) $(O)/distcheck
