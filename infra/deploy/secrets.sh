#!/bin/sh
# Makes every secret of an installation, once: `secrets.env`, and the authority that signs certificates of devices
# (`ca.pem`, `ca.key`), in a directory that it names. What is there already stays as it is.
#
#   sh infra/deploy/secrets.sh /etc/millrace
#
# Keep a copy of them apart from the databases: without SECRET_KEY no thing's key can be checked or shown.
set -eu
umask 077
directory=${1:?usage: secrets.sh DIRECTORY}
mkdir -p "$directory"

if [ ! -e "$directory/secrets.env" ]; then
  # 40 letters and digits, which need no quoting in a URL or a shell.
  random() { openssl rand -base64 60 | tr -d '/+=\n' | cut -c 1-40; }
  {
    for name in SECRET_KEY JWT_SECRET ADMIN_PASSWORD POSTGRES_PASSWORD REDIS_PASSWORD CLICKHOUSE_PASSWORD; do
      echo "$name=$(random)"
    done
  } > "$directory/secrets.env.new"
  mv "$directory/secrets.env.new" "$directory/secrets.env"
fi

if [ ! -e "$directory/ca.pem" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
    -subj '/CN=Millrace devices' -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -keyout "$directory/ca.key" -out "$directory/ca.pem.new" 2> /dev/null
  mv "$directory/ca.pem.new" "$directory/ca.pem"
fi
