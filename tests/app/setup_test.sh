#!/bin/sh
# What app/setup.sh makes of a mirror that has the pinned sources, of one that has only newer ones and of one that has
# none, and where HarfBuzz's headers come from. apt and dpkg are stand-ins, so nothing is installed and nothing is fetched.
# setup_test.sh   No arguments; needs tar and sha256sum.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "setup_test: $*" >&2
    cat "$work/said" >&2
    exit 1
}

# The stand-ins. The mirror is a folder: pool/ as apt-helper reads it, unstable/ as "apt-get source" does.
mirror=$work/mirror
mkdir -p "$work/bin" "$work/house/app" "$mirror/pool/main/i/imgui" "$mirror/pool/main/c/catch2" "$mirror/unstable"
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/sh
case "$*" in
    *Version*) printf 6.0-1 ;;
    *" libharfbuzz-dev") [ -e "$SETUP_TEST/no-headers" ] || printf 'ii ' ;;
    *) printf 'ii ' ;;
esac
END
cat >"$work/bin/dpkg-deb" <<'END'
#!/bin/sh
mkdir -p "$3/usr/include" && cp "$2" "$3/usr/include/hb.h"
END
printf '#!/bin/sh\necho 0\n' >"$work/bin/id" # may install
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
echo "apt-get $*" >>"$SETUP_TEST/calls"
case "$*" in
    *indextargets*) echo "file://$SETUP_TEST/mirror/" ;;
    *" download libharfbuzz-dev=6.0-1") cp "$SETUP_TEST/mirror/headers.deb" . 2>/dev/null ;;
    "update -qq" | *" update") ;;
    "install "*) rm "$SETUP_TEST/no-headers" ;;
    *" source --download-only "*)
        for last; do :; done
        cp "$SETUP_TEST/mirror/unstable/${last}_"* . 2>/dev/null ;;
    *) exit 1 ;;
esac
END
cat >"$work/bin/apt-helper" <<'END'
#!/bin/sh
echo "apt-helper $*" >>"$SETUP_TEST/calls"
while [ "$1" != download-file ]; do shift; done
from=${2#file://}
[ -e "$from" ] && [ "SHA256:$(sha256sum <"$from" | cut -d ' ' -f 1)" = "$4" ] && cp "$from" "$3"
END
chmod +x "$work/bin"/*
archive() { # path, what its file says
    mkdir -p "$work/made/source"
    echo "$2" >"$work/made/source/version"
    tar cf "$1" -C "$work/made" source
}
hash_of() { sha256sum <"$1" | cut -d ' ' -f 1; }
setup() { # runs the script on the mirror as it is
    : >"$work/calls"
    env SETUP_TEST="$work" PATH="$work/bin:$PATH" sh "$work/house/app/setup.sh" >"$work/said" 2>&1 ||
        fail "it ended with an error"
}
deps=$work/house/build/deps
version() { cat "$deps/$1/version" 2>/dev/null || echo none; }
says() { grep -qF -- "$1" "$work/said"; }

# The script, with the hashes of archives that this test can make.
imgui_pin=$(sed -n 's/^pinned imgui [^ ]* //p' "$here/app/setup.sh")
catch2_pin=$(sed -n 's/^pinned catch2 [^ ]* //p' "$here/app/setup.sh")
imgui_file=$(sed -n 's/^pinned imgui \([^ ]*\) .*/\1/p' "$here/app/setup.sh")
catch2_file=$(sed -n 's/^pinned catch2 \([^ ]*\) .*/\1/p' "$here/app/setup.sh")
archive "$work/imgui.tar" "pinned imgui"
archive "$work/catch2.tar" "pinned catch2"
imgui=$(hash_of "$work/imgui.tar")
catch2=$(hash_of "$work/catch2.tar")
sed "s/$imgui_pin/$imgui/; s/$catch2_pin/$catch2/" "$here/app/setup.sh" >"$work/house/app/setup.sh"
grep -q "^pinned imgui .* $imgui\$" "$work/house/app/setup.sh" || fail "the script has no pinned hash of imgui"

# A mirror with only a newer imgui: the script takes it, names it and stamps it as what it is. The next run names it again
# and downloads nothing.
cp "$work/catch2.tar" "$mirror/pool/main/$catch2_file"
archive "$mirror/unstable/imgui_9.9+ds.orig.tar.xz" "newer imgui"
echo signature >"$mirror/unstable/imgui_9.9+ds.orig.tar.xz.asc"
newer=$(hash_of "$mirror/unstable/imgui_9.9+ds.orig.tar.xz")
setup
[ "$(version imgui)" = "newer imgui" ] || fail "the newer imgui was not taken"
[ ! -e "$deps/imgui/.$imgui" ] || fail "a newer imgui is stamped with the pinned hash"
for words in imgui_9.9+ds.orig.tar.xz "$newer" "$imgui" "not the pinned ${imgui_file##*/}"; do
    says "$words" || fail "nothing says \"$words\""
done
[ -e "$deps/catch2/.$catch2" ] || fail "the pinned catch2 has no stamp"
setup
[ ! -s "$work/calls" ] || fail "a ready machine asks apt: $(cat "$work/calls")"
says imgui_9.9+ds.orig.tar.xz || fail "the second run does not name what is not pinned"

# Without that tree the next run takes the pinned one from a mirror that has it.
cp "$work/imgui.tar" "$mirror/pool/main/$imgui_file"
rm -rf "$deps/imgui"
setup
[ "$(version imgui)" = "pinned imgui" ] && [ -e "$deps/imgui/.$imgui" ] || fail "the pinned imgui was not taken"
[ ! -s "$work/said" ] || fail "words about a pinned tree"
setup
[ ! -s "$work/calls" ] || fail "a ready machine asks apt: $(cat "$work/calls")"

# Another archive under the pinned name is refused. The pinned one comes from unstable under another name.
archive "$mirror/pool/main/$imgui_file" "forged imgui"
cp "$work/imgui.tar" "$mirror/unstable/imgui_9.9+ds.orig.tar.xz"
rm -rf "$deps/imgui"
setup
[ "$(version imgui)" = "pinned imgui" ] && [ -e "$deps/imgui/.$imgui" ] || fail "the pinned imgui was not found in unstable"
[ ! -s "$work/said" ] || fail "words about a pinned tree"

# A mirror with nothing leaves no half tree to CMake.
rm -rf "$mirror/unstable"/* "$deps/imgui"
setup
[ ! -e "$deps/imgui" ] || fail "something is left of a tree that could not be had"
says "CMake will try GitHub" || fail "nothing says that the mirror has no imgui"
[ "$(ls "$deps")" = catch2 ] || fail "leftovers: $(ls "$deps")"

# HarfBuzz's headers come without the packages that theirs brings along, of the version that is installed, and once. A mirror
# that has only another version makes the package itself be installed.
: >"$work/no-headers"
echo headers >"$mirror/headers.deb"
setup
[ "$(ls "$deps/harfbuzz/usr/include")" = hb.h ] && [ -e "$deps/harfbuzz/.6.0-1" ] || fail "there are no headers of HarfBuzz"
[ "$(ls "$deps/harfbuzz")" = usr ] || fail "leftovers: $(ls "$deps/harfbuzz")"
: >"$work/calls"
setup
if grep -q harfbuzz "$work/calls"; then fail "headers that are there are fetched again"; fi
rm -rf "$deps/harfbuzz" "$mirror/headers.deb"
setup
[ ! -e "$work/no-headers" ] || fail "no package of headers was installed"
[ "$(ls "$deps")" = catch2 ] || fail "leftovers: $(ls "$deps")"
echo "setup_test: what is not pinned is named and not stamped as pinned"
