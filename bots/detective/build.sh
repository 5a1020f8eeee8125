#!/bin/sh
# Builds ./detective from vendor/ without any network; does nothing if it has been built from these very files.
set -eu
if [ ! -d vendor ]; then
    echo "error: there is no folder vendor/ to build from: run 'make -C bots/detective build' once" >&2
    exit 3
fi
if ! command -v go >/dev/null; then
    echo "error: there is no Go here: install Go 1.26 or newer" >&2
    exit 3
fi
sources=$(find . -name '*.go' -path './vendor/*/referee/*' -o -name '*.go' ! -path './vendor/*' | LC_ALL=C sort)
built=$(cat $sources go.mod go.sum vendor/modules.txt | cksum)
if [ -x detective ] && [ "$(cat .built 2>/dev/null)" = "$built" ]; then
    exit 0
fi
GOCACHE=${GOCACHE:-${TMPDIR:-/tmp}/go-cache} CGO_ENABLED=0 \
    go build -mod=vendor -trimpath -buildvcs=false -ldflags '-s -w' -o detective .
echo "$built" >.built
