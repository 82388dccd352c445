# shellcheck shell=dash
# seconds: 400
# shortlived-perf - as shortlived, collected without the module

export COLLECTOR=perf
# shellcheck source=tests/vm/cases/shortlived.sh
. /vm/cases/shortlived.sh
