# Shell functions that the project's commands share. Sourced by bash, not run.
# Sets `root` to the top of the tree and makes any failing command end the script.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(cmake ninja-build g++ pkg-config ccache zlib1g-dev libhdf5-dev libdeflate-dev liblzf-dev
  libisal-dev libtbb-dev libeigen3-dev libcli11-dev libfmt-dev)

# User-Mode-Linux and what an NFS server and its clients need inside it.
network_packages=(user-mode-linux kmod iproute2 nfs-kernel-server nfs-common rpcbind)

step() { printf '\n==> [%4d s] %s\n' "$SECONDS" "$*"; }
say() { printf '    %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root or sudo: $*"
  fi
}

is_installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

# Installs those Debian packages that are missing, saying which. Elsewhere it only names them: the
# build then tells what it cannot find.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: going on with what is installed; needed (Debian's names): $*"
    return
  fi
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "nothing to install"
    return
  fi
  say "installing with apt-get: ${missing[*]}"
  as_root apt-get -qq -o DPkg::Lock::Timeout=300 update </dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    --no-install-recommends install "${missing[@]}" </dev/null >/dev/null
}

# Some packages would start servers of theirs as they are installed, which tests do not want. What is
# put in the way of that is taken away again.
install_packages_without_servers() (
  policy=/usr/sbin/policy-rc.d
  if command -v apt-get >/dev/null && [ ! -e "$policy" ]; then
    trap 'as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  install_packages "$@"
)

# One compiler a core, and no more than memory allows (1.5 GB each).
build_jobs() {
  local by_memory
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
  local jobs
  jobs=$(nproc)
  [ "$by_memory" -ge "$jobs" ] || jobs=$by_memory
  [ "$jobs" -ge 1 ] || jobs=1
  echo "$jobs"
}

# build FOLDER CMAKE-ARGUMENTS...
build() {
  local folder=$1
  shift
  cmake -S "$root" -B "$folder" -G Ninja "$@" </dev/null >"$folder.log" 2>&1 || {
    cat "$folder.log" >&2
    die "cannot configure the build"
  }
  cmake --build "$folder" --parallel "$(build_jobs)" </dev/null
}
