# build.mk - release tarball and packages, made of the last commit in $(O)/deb, $(O)/rpm, ...
dist_name := oprofile-ng-$(VERSION)
tarball   := $(O)/$(dist_name).tar.gz
# packages are built by make of their own
clean_env := env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u O -u DESTDIR

.PHONY: dist distcheck deb rpm image
dist:					## make a tarball of the last commit, the same bytes each time
	$(Q)mkdir -p $(O)
	$(Q)git archive --prefix=$(dist_name)/ HEAD | gzip -9n > $(tarball)
	@echo $(tarball)

distcheck: dist				## build, test, install and remove it elsewhere
	$(Q)packaging/distcheck $(tarball) $(O)/distcheck

deb: dist				## make Debian packages in build/deb
	$(Q)rm -rf $(O)/deb && mkdir -p $(O)/deb
	$(Q)cp $(tarball) $(O)/deb/oprofile-ng_$(VERSION).orig.tar.gz
	$(Q)tar -xzf $(tarball) -C $(O)/deb
	$(Q)cp -r $(O)/deb/$(dist_name)/packaging/debian $(O)/deb/$(dist_name)/debian
	$(Q)cd $(O)/deb/$(dist_name) && $(clean_env) dpkg-buildpackage -us -uc

# rpmbuild knows no packages of Debian's, so there it cannot check what building needs
rpm: dist				## make RPM packages in build/rpm
	$(Q)rm -rf $(O)/rpm && mkdir -p $(O)/rpm/SOURCES
	$(Q)cp $(tarball) $(O)/rpm/SOURCES/
	$(Q)$(clean_env) rpmbuild -ba --quiet --define "_topdir $(abspath $(O))/rpm" \
		--define "upstream_version $(VERSION)" $(if $(wildcard /etc/debian_version),--nodeps) \
		packaging/rpm/oprofile-ng.spec

image: deb				## make a container image of these packages in build/container
	$(Q)packaging/container/image $(O)/deb $(O)/container $(VERSION)
