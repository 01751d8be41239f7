#!/usr/bin/env python3
"""Sends a reading to Millrace, and tries again where it is asked to. Needs Python 3.8, and no packages.

    MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=<key of the thing> python3 device.py
"""

import json
import os
import random
import time
import urllib.error
import urllib.request

TRIES_MAX = 8
WAIT_SECONDS_MAX = 60
TIMEOUT_SECONDS = 15


def seconds_to_wait(attempt, retry_after):
    """As long as the server asks for, and otherwise longer after each try; not all devices at once."""
    try:
        asked = float(retry_after)
    except (TypeError, ValueError):
        asked = 2.0**attempt
    return min(asked, WAIT_SECONDS_MAX) * random.uniform(1.0, 1.25)


def send(edge, key, records):
    """Returns once the records are on the server's disk. What the server refuses for good is raised."""
    request = urllib.request.Request(
        f"{edge}/http/messages",
        data=json.dumps(records).encode(),
        headers={
            "Authorization": f"Thing {key}",
            "Content-Type": "application/senml+json",
        },
        method="POST",
    )
    for attempt in range(TRIES_MAX):
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                if answer.status != 202:
                    raise RuntimeError(f"unexpected answer {answer.status}")
                return
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise RuntimeError(f"refused: {error.code} {error.read().decode()}") from error
            wait = seconds_to_wait(attempt, error.headers.get("Retry-After"))
        except OSError:
            # No answer: it may have arrived. The same time makes a second copy easy to tell.
            wait = seconds_to_wait(attempt, None)
        time.sleep(wait)
    raise RuntimeError(f"not sent after {TRIES_MAX} tries")


if __name__ == "__main__":
    reading = [{"n": "temperature", "u": "Cel", "t": time.time(), "v": 21.5}]
    send(os.environ["MILLRACE_EDGE"], os.environ["MILLRACE_KEY"], reading)
    print("202")
