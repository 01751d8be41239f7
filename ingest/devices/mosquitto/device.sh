#!/bin/sh
# Sends a reading to Millrace over MQTT, and tries again. Needs mosquitto_pub (Debian: mosquitto-clients).
#
#     MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_KEY=<key of the thing> sh device.sh
set -eu

# The time is taken once: where a try arrived whose acknowledgement was lost, the copy is easy to tell.
reading="[{\"n\":\"temperature\",\"u\":\"Cel\",\"t\":$(date +%s),\"v\":21.5}]"
seconds=1
for _ in 1 2 3 4 5 6; do
  # With QoS 1, mosquitto_pub ends once PUBACK has come: the message is on the server's disk.
  if mosquitto_pub -h "$MILLRACE_HOST" -p "${MILLRACE_MQTT_PORT:-1883}" -u internal -P "$MILLRACE_KEY" \
    -i thermometer-1 -q 1 -t readings -m "$reading"; then
    echo acknowledged
    exit 0
  else
    code=$?
  fi
  # Refused for good: a wrong key (CONNACK 4 or 5 of MQTT 3.1.1).
  if [ "$code" -eq 4 ] || [ "$code" -eq 5 ]; then exit 1; fi
  sleep "$seconds"
  seconds=$((seconds * 2))
done
exit 1
