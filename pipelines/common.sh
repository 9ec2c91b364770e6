# Shell functions that the project's commands share. Sourced by bash, not run.
# Sets `root` to the top of the tree and makes any failing command end the script.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(cmake ninja-build g++ pkg-config ccache zlib1g-dev libhdf5-dev libdeflate-dev liblzf-dev
  libisal-dev libtbb-dev libeigen3-dev libcli11-dev libfmt-dev)

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
