#!/usr/bin/env python3
"""Sends a reading to Millrace over MQTT 3.1.1, and tries again until it is on the server's disk. Needs Python 3.8, and no
packages.

    MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_KEY=<key of the thing> python3 mqtt_device.py
"""

import json
import os
import random
import socket
import struct
import time

TRIES_MAX = 8
WAIT_SECONDS_MAX = 60
TIMEOUT_SECONDS = 15
PACKET_ID = 1
SERVER_UNAVAILABLE = 3


class Refused(Exception):
    """The server will never take it as it is."""


def text(value):
    encoded = value.encode() if isinstance(value, str) else value
    return struct.pack("!H", len(encoded)) + encoded


def packet(first, body):
    length, encoded = len(body), b""
    while True:
        length, digit = divmod(length, 128)
        encoded += bytes([digit | (128 if length > 0 else 0)])
        if length == 0:
            return bytes([first]) + encoded + body


def read(connection, size):
    taken = b""
    while len(taken) < size:
        part = connection.recv(size - len(taken))
        if not part:
            raise ConnectionError("the server closed the connection")
        taken += part
    return taken


def send_once(host, port, key, client_id, topic, payload, again):
    """Returns once PUBACK has come: the message is on the server's disk."""
    with socket.create_connection((host, port), TIMEOUT_SECONDS) as connection:
        # A clean session, with a username and a password; a keep-alive of a minute.
        head = text("MQTT") + bytes([4, 0xC2]) + struct.pack("!H", 60)
        connection.sendall(packet(0x10, head + text(client_id) + text("internal") + text(key)))
        code = read(connection, 4)[3]
        if code == SERVER_UNAVAILABLE:
            raise ConnectionError("the server is busy")
        if code != 0:
            raise Refused(f"refused: CONNACK {code}")
        # QoS 1; DUP where it may have arrived before.
        publish = text(topic) + struct.pack("!H", PACKET_ID) + payload
        connection.sendall(packet(0x3A if again else 0x32, publish))
        if read(connection, 4) != struct.pack("!BBH", 0x40, 2, PACKET_ID):
            raise ConnectionError("no PUBACK")
        connection.sendall(packet(0xE0, b""))


def send(host, port, key, topic, records):
    payload = json.dumps(records).encode()
    client_id = f"python-{random.getrandbits(64):x}"
    for attempt in range(TRIES_MAX):
        try:
            return send_once(host, port, key, client_id, topic, payload, attempt > 0)
        except OSError:
            # It may have arrived. The same time makes a second copy easy to tell.
            wait = min(2.0**attempt, WAIT_SECONDS_MAX)
            time.sleep(wait * random.uniform(1.0, 1.25))
    raise RuntimeError(f"not sent after {TRIES_MAX} tries")


if __name__ == "__main__":
    reading = [{"n": "temperature", "u": "Cel", "t": time.time(), "v": 21.5}]
    port = int(os.environ.get("MILLRACE_MQTT_PORT", "1883"))
    send(os.environ["MILLRACE_HOST"], port, os.environ["MILLRACE_KEY"], "readings", reading)
    print("acknowledged")
