#!/bin/sh
# Fetches what Millrace is compared with, as packages of Debian and of npm, and unpacks it beside its libraries in a
# directory of the benchmark's own. Nothing is installed and no service is started; remove the directory to be rid of all
# of it.
# The mirror is the one of this machine's apt, which checks the signatures as ever.
set -eu

# Who runs PostgreSQL as another user, as root must, needs a directory that others can read.
if [ "$(id -u)" -eq 0 ]; then cache=/var/cache; else cache=${XDG_CACHE_HOME:-$HOME/.cache}; fi
directory=$cache/millrace-peers
fresh=$directory.new
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | head -n1 || true)
if [ -z "$mirror" ] || [ ! -e "$keyring" ]; then
  echo 'This needs Debian: apt knows no mirror of it here, or its keyring is missing. Without the peers' >&2
  echo 'the benchmark says so and goes on.' >&2
  exit 1
fi

rm -rf "$fresh"
mkdir -p "$fresh/bin"

# An apt of its own, which believes that nothing is installed.
prepare() {
  root=$fresh/$1
  apt=$fresh/apt-$1
  mkdir -p "$root" "$apt/lists/partial" "$apt/archives/partial"
  : >"$apt/status"
  echo "deb [signed-by=$keyring] $mirror $1 main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<END
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
END
  apt-get -qq -c "$apt/apt.conf" update
}

# The packages, and of what they depend on the libraries: without those of Perl, and of the compiler in PostgreSQL,
# which is turned off.
unpack() {
  wanted=$(
    # shellcheck disable=SC2068
    apt-get -qq -c "$apt/apt.conf" --simulate install $@ |
      awk '/^Inst /{print $2}' | grep -E '^(lib|gcc-[0-9]+-base|postgresql-[0-9]+|postgresql-client-[0-9]+)' |
      grep -vE '^(libperl|libllvm|libz3|.*-perl$)' || true
  )
  # shellcheck disable=SC2086
  (cd "$apt/archives" && apt-get -qq -c "$apt/apt.conf" download $wanted $@)
  for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  # The names by which programs ask for libraries; some packages leave them to the installation.
  /sbin/ldconfig -n "$root"/usr/lib/*-linux-gnu
  for package in "$@"; do
    dpkg-deb -W --showformat '${Package} ${Version}\n' "$apt/archives/${package}"_*.deb >>"$fresh/versions"
  done
  rm -rf "$apt"
}

# A program runs with the loader and the libraries of its own suite, whatever this machine has.
wrap() {
  program=$1
  mv "$program" "$program.unpacked"
  loader=$(find "$root/" -path '*/lib*/ld-linux*.so.[0-9]' | head -n1)
  libraries=$(find "$root/" -name 'libc.so.6' -exec dirname {} \; | head -n1)
  # The place it has once all is there.
  at() { echo "$directory${1#"$fresh"}"; }
  cat >"$program" <<END
#!/bin/sh
exec '$(at "$loader")' --library-path '$(at "$libraries")' --argv0 "\$0" '$(at "$program.unpacked")' "\$@"
END
  chmod +x "$program"
  ln -s "../${program#"$fresh/"}" "$fresh/bin/${program##*/}"
}

prepare sid
unpack victoria-metrics mosquitto
wrap "$root/usr/bin/victoria-metrics"
wrap "$root/usr/sbin/mosquitto"

prepare trixie
unpack influxdb postgresql-17 postgresql-17-timescaledb
wrap "$root/usr/bin/influxd"
for program in initdb postgres psql; do wrap "$root/usr/lib/postgresql/17/bin/$program"; done

# A broker for Node, and where it keeps messages on a disk. No script of a package is run.
npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$fresh/aedes" \
  aedes@1.2.0 aedes-persistence-level@9.2.0 level@10.0.0
echo 'aedes 1.2.0' >>"$fresh/versions"

rm -rf "$directory"
mv "$fresh" "$directory"
cat "$directory/versions"
