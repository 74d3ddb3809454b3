#!/bin/sh
# Installs what the build needs and this machine lacks. Called by app/run and tests/run; safe to repeat: a ready
# machine takes 0.1 s. Debian packages come through apt; the two sources Debian 12 has too old come as pinned
# upstream tarballs into build/deps. Whatever cannot be had here, CMake fetches from GitHub, equally pinned.
set -eu
cd "$(dirname "$0")/.."
if ! command -v apt-get >/dev/null; then
    echo "setup: not a Debian: install the packages named in README.md; CMake fetches the rest" >&2
    exit 0
fi

# 1. Packages of the machine's own release. Mesa draws without a GPU and without a display too.
packages="g++ cmake ninja-build xz-utils libglfw3-dev libegl-dev libopengl-dev libgl1-mesa-dri libegl-mesa0
    libxrandr2 libxi6 libxcursor1 libxinerama1 libeigen3-dev libstb-dev libfontconfig-dev nlohmann-json3-dev
    libcli11-dev libfmt-dev libutf8proc-dev libpcre2-dev libharfbuzz0b libfribidi-dev libhpdf-dev zlib1g-dev fonts-inter fonts-dejavu-core fonts-wqy-microhei $*"
installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }
install() { # packages
    if [ "$(id -u)" = 0 ]; then
        root=
    elif command -v sudo >/dev/null; then
        root=sudo
    else
        echo "setup: these packages are missing and only root can install them: $*" >&2
        exit 1
    fi
    echo "setup: installing $*"
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "$@" >/dev/null
}
missing=
for package in $packages; do
    installed "$package" || missing="$missing $package"
done
# shellcheck disable=SC2086  # one word per package is meant
[ -z "$missing" ] || install $missing

# 2. HarfBuzz's headers without what their package wants besides: GLib's, ICU's and Python, 35 packages that nothing here
# uses, a quarter of the set-up's seconds and 120 MB. apt checks the package, which is that of the installed library; where
# its mirror has only a newer one, the package is installed as it is.
deps=$PWD/build/deps
mkdir -p "$deps"
headers() { # version: unpacks them into build/deps/harfbuzz
    part=$deps/harfbuzz.part
    rm -rf "$deps/harfbuzz" "$part"
    mkdir "$part"
    if (cd "$part" && apt-get -qq -o APT::Sandbox::User=root download "libharfbuzz-dev=$1" 2>/dev/null &&
        dpkg-deb -x ./*.deb . && rm ./*.deb && : >".$1"); then
        mv "$part" "$deps/harfbuzz"
    else
        rm -rf "$part"
        return 1
    fi
}
if ! installed libharfbuzz-dev; then
    version=$(dpkg-query -W -f='${Version}' libharfbuzz0b)
    [ -e "$deps/harfbuzz/.$version" ] || headers "$version" || install libharfbuzz-dev
fi

# 3. Sources, pinned by hash, from the Debian pool of the mirror this machine already uses. A source that the pool no
# longer has comes as what Debian's archive key signs today: it is named on each run, and its stamp is another one.
PATH=$PATH:/usr/lib/apt # apt-helper
mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1; }
unpack() { rm -rf "${deps:?}/$1" && mkdir -p "$deps/$1" && tar xf "$2" -C "$deps/$1" --strip-components=1; }
pinned() { # name, path in the pool, SHA-256; the stamp ".SHA-256" says that this archive was unpacked
    if [ -e "$deps/$1/.$3" ]; then return; fi
    if [ -e "$deps/$1/.instead-of-$3" ]; then
        warn_unpinned "$@"
        return
    fi
    rm -rf "${deps:?}/$1"
    url=$(mirror)
    if [ -n "$url" ] && apt-helper -qq -o APT::Sandbox::User=root download-file \
        "${url%/}/pool/main/$2" "$deps/$1.tar" "SHA256:$3" && unpack "$1" "$deps/$1.tar"; then
        : >"$deps/$1/.$3"
    elif [ -n "$url" ] && archive=$(newest "$1" "$url") && unpack "$1" "$archive"; then
        hash=$(sha256sum <"$archive")
        hash=${hash%% *}
        if [ "$hash" = "$3" ]; then # the same archive, at another place of the pool
            : >"$deps/$1/.$3"
        else
            echo "${archive##*/} (SHA-256 $hash)" >"$deps/$1/.instead-of-$3"
            warn_unpinned "$@"
        fi
    else
        rm -rf "${deps:?}/$1" # CMake takes whatever stands there
        echo "setup: $1 is not in the Debian pool; CMake will try GitHub" >&2
    fi
    rm -rf "$deps/$1.tar"* "$deps/apt"
}
newest() { # name, mirror: downloads what unstable has through an apt state of our own and prints the path of the archive
    own=$deps/apt
    rm -rf "$own"
    mkdir -p "$own/lists/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg check-valid-until=no] $2 unstable main" >"$own/list"
    apt="apt-get -qq -o Dir::Etc::SourceList=$own/list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$own/lists
         -o Dir::State::Status=/dev/null -o Dir::Cache=$own -o APT::Sandbox::User=root"
    $apt update >&2 && (cd "$own" && $apt source --download-only "$1" >&2) || return 1
    for archive in "$own/$1"_*.orig.tar.*; do
        case $archive in *.asc) continue ;; esac # its signature
        [ ! -e "$archive" ] || { echo "$archive"; return; }
    done
    return 1
}
warn_unpinned() { # as pinned
    echo "setup: $1 is not the pinned ${2##*/} (SHA-256 $3), which the Debian pool does not have, but" \
        "$(cat "$deps/$1/.instead-of-$3"). Remove build/deps/$1 to try the pinned one again." >&2
}
pinned imgui i/imgui/imgui_1.92.2b+ds.orig.tar.xz e7bd201d56b5ee90d24d5dac85e5c12f98bdb95410252a62d27b7f89e4566d48
pinned catch2 c/catch2/catch2_3.7.1.orig.tar.gz c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c
