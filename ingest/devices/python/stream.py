#!/usr/bin/env python3
"""Sends each line of standard input to Millrace as a message, over one connection (a stream), and again over the next
one what was not acknowledged. Needs Python 3.8, and the package websockets (10 or later).

    MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=<key of the thing> python3 stream.py < readings.ndjson
"""

import asyncio
import collections
import json
import os
import random
import sys

import websockets

WINDOW_BYTES = 256 * 1024
FRAME_BYTES = 64 * 1024
MESSAGE_COST = 64  # of the window, beside the bytes of the message
WAIT_SECONDS_MAX = 60
AGAIN = (429, 503)
HEADERS = "additional_headers" if int(websockets.__version__.split(".")[0]) >= 14 else "extra_headers"


def next_frame(waiting, sent, room):
    """The messages that fit a frame and the window, one on each line. They are without an answer from now on."""
    lines = []
    size = cost = 0
    while waiting and size + len(waiting[0]) < FRAME_BYTES and cost + MESSAGE_COST + len(waiting[0]) <= room:
        lines.append(waiting.popleft())
        size += len(lines[-1]) + 1
        cost += len(lines[-1]) + MESSAGE_COST
    sent.extend(lines)
    return b"\n".join(lines).decode(), cost


async def exchange(socket, waiting, sent):
    """Sends until the window is full, then reads an answer, until all messages have one."""
    room = WINDOW_BYTES
    number = 0  # of the last message with an answer
    refused = {}
    while waiting or sent:
        frame, cost = next_frame(waiting, sent, room)
        if cost > 0:
            room -= cost
            await socket.send(frame)
            continue
        answer = json.loads(await socket.recv())
        if "refused" in answer:
            why = answer["refused"]
            refused.update(dict.fromkeys(range(why["from"], why["to"] + 1), why))
        seconds = 0
        while number < answer.get("ack", 0):
            number += 1
            message = sent.popleft()
            room += len(message) + MESSAGE_COST
            why = refused.pop(number, None)
            if why is not None and why["status"] in AGAIN:
                waiting.append(message)
                seconds = why["retry_after"]
            elif why is not None:
                print(f"refused: {why['status']} {why['error']}: {message.decode()}", file=sys.stderr)
        if seconds > 0:
            await asyncio.sleep(seconds)


async def send_all(edge, key, messages):
    """Returns once all messages are on the server's disk, or refused for good."""
    url = edge.replace("http", "ws", 1) + "/http/messages/stream"
    headers = {"Authorization": f"Thing {key}", "Content-Type": "application/senml+json"}
    waiting = collections.deque(messages)
    failures = 0
    while waiting:
        sent = collections.deque()
        try:
            async with websockets.connect(url, **{HEADERS: headers}) as socket:
                failures = 0
                await exchange(socket, waiting, sent)
        except websockets.InvalidHandshake as error:
            status = getattr(error, "status_code", None) or getattr(error.response, "status_code", 0)
            if status not in AGAIN:
                raise
        except websockets.ConnectionClosed as error:
            # These, and a connection that broke, may be over the next time.
            if error.rcvd is not None and error.rcvd.code not in (1001, 1011, 1013):
                raise
        except OSError:
            pass
        # What has no ack may have arrived. The same time makes a second copy easy to tell.
        waiting.extendleft(reversed(sent))
        if waiting:
            await asyncio.sleep(min(2.0**failures, WAIT_SECONDS_MAX) * random.uniform(0.5, 1.0))
            failures += 1


if __name__ == "__main__":
    lines = (line.strip() for line in sys.stdin.buffer)
    readings = [line for line in lines if line]
    if any(len(line) >= FRAME_BYTES for line in readings):
        sys.exit("a message is too large for a stream: post it")
    asyncio.run(send_all(os.environ["MILLRACE_EDGE"], os.environ["MILLRACE_KEY"], readings))
    print("acknowledged")
