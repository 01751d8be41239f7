#!/bin/sh
# Installs what Millrace is compared with, from Debian's packages: InfluxDB and VictoriaMetrics.
# No service of theirs is started: the benchmark starts its own, on data of its own.
set -eu

packages='influxdb victoria-metrics'

if ! command -v apt-get >/dev/null; then
  echo 'This needs Debian or a relative of it: there is no apt-get here. Without the peers' >&2
  echo 'the benchmark says so and goes on.' >&2
  exit 1
fi

missing=
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done

if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "Only root can install$missing: run this again with sudo." >&2
    exit 1
  fi
  # Packages ask this file whether they may start their services.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $missing
  # Nor at the next boot; where there is no systemd, there is nothing to turn off.
  for package in $missing; do
    systemctl disable "$package" >/dev/null 2>&1 || true
  done
fi

# shellcheck disable=SC2086
dpkg-query -W -f '${Package} ${Version}\n' $packages
