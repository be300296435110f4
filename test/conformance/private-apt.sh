# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Sourced. Packages of any Debian release, by name, without touching the
# machine's own apt state: the machine's source entry for the main archive is
# rewritten to the wanted release, in a directory that is removed on exit. No
# address is written here. Archive signatures are checked where the machine's
# keyring can; callers pin the SHA-256 of what they fetch.

# private_apt PARENT RELEASE TYPE: prepares $apt, a new directory in PARENT,
# and reads the index of RELEASE (TYPE is deb or deb-src). Afterwards `apt_get`
# works on it.
private_apt() {
  local release=$2 type=$3
  mkdir -p "$1"
  apt=$(mktemp -d "$1/apt.XXXXXX") || return
  trap 'rm -rf "$apt"' EXIT
  mkdir -p "$apt/etc" "$apt/lists/partial" "$apt/cache/archives/partial"
  # apt's own unprivileged user writes below these.
  chmod -R a+rwX "$apt"
  private_apt_sources "$release" "$type" || return
  private_apt_update "$release"
}

# The machine's entry for the main Debian archive, turned into TYPE packages of
# RELEASE. Security archives have another layout and third parties do not
# carry the packages: only an entry for a plain or -updates suite will do.
apt_suites='(bookworm|trixie|forky|duke|sid|stable|testing|unstable|oldstable)'

apt_deb822() { # RELEASE TYPE FILE
  awk -v want="(^|\n)Suites:([^\n]* )?$apt_suites(-updates)?( |\n|$)" '
    BEGIN { RS = ""; ORS = "\n\n" }
    $0 ~ want && /(^|\n)Components:[^\n]*main/ { print; exit }' "$3" |
    sed -e '/^#/d' -e "s/^Suites:.*/Suites: $1/" \
        -e "s/^Types:.*/Types: $2/" -e 's/^Components:.*/Components: main/'
}

apt_one_line() { # RELEASE TYPE FILE...
  local gap='[[:space:]]+' release=$1 type=$2
  local entry="^deb(-src)?$gap(\[[^]]*\]$gap)?([^[:space:]]+)$gap"
  shift 2
  entry+="$apt_suites(-updates)?$gap.*main.*"
  sed -n -E "s#$entry#$type \2\3 $release main#p" "$@" | head -n 1
}

private_apt_sources() { # RELEASE TYPE
  local file existing=()
  for file in /etc/apt/sources.list.d/*.sources; do
    # A blank line between files keeps their stanzas apart.
    [ ! -f "$file" ] || { cat "$file"; echo; } >> "$apt/all"
  done
  apt_list=$apt/etc/debian.sources
  [ ! -f "$apt/all" ] || apt_deb822 "$1" "$2" "$apt/all" > "$apt_list"
  [ ! -s "$apt_list" ] || return 0
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || existing+=("$file")
  done
  apt_list=$apt/etc/debian.list
  [ ${#existing[@]} -eq 0 ] ||
    apt_one_line "$1" "$2" "${existing[@]}" > "$apt_list"
  [ -s "$apt_list" ] || { echo "no Debian archive among apt's sources" >&2
                          return 1; }
}

apt_insecure=()

# apt_get ARGUMENT...: on the private directory. An index past its date is as
# good as a new one: the checksum decides.
apt_get() {
  apt-get -q -q -o Dir::Etc::sourcelist="$apt_list" \
    -o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists" \
    -o Dir::Cache="$apt/cache" -o Acquire::Languages=none \
    -o Acquire::Check-Valid-Until=false \
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 \
    ${apt_insecure[@]+"${apt_insecure[@]}"} "$@"
}

private_apt_update() { # RELEASE
  apt_get update 2> "$apt/err" && ! grep -q '^[WE]:' "$apt/err" && return
  grep -qE 'NO_PUBKEY|not signed|EXPKEYSIG|signature' "$apt/err" ||
    { cat "$apt/err" >&2; return 1; }
  echo "this keyring cannot check $1; the pinned sha256 will" >&2
  apt_insecure=(-o Acquire::AllowInsecureRepositories=true
                -o APT::Get::AllowUnauthenticated=true)
  apt_get update 2> "$apt/err" || { cat "$apt/err" >&2; return 1; }
}
