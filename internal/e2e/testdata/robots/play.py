"""Plays a recording on a real server of foxglove-sdk, or with --old on one of foxglove-websocket: play.py BAG SPEED [PORT].

It prints its port, waits for subscriptions, plays, prints "played", and ends when its input does.
"""
import asyncio
import sys
import threading
import time

from mcap.reader import make_reader

old = "--old" in sys.argv
args = [a for a in sys.argv[1:] if a != "--old"]
bag, speed, port = args[0], float(args[1]), int(args[2]) if len(args) > 2 else 0
subscribed = threading.Event()


def messages():
    with open(bag, "rb") as f:
        for schema, channel, message in make_reader(f).iter_messages(log_time_order=True):
            yield schema, channel, message


def paced():
    first = begin = None
    for schema, channel, message in messages():
        if first is None:
            first, begin = message.log_time, time.monotonic()
        wait = begin + (message.log_time - first) / 1e9 / speed - time.monotonic()
        yield schema, channel, message, max(wait, 0)


def topics():
    with open(bag, "rb") as f:
        summary = make_reader(f).get_summary()
        for channel in summary.channels.values():
            yield summary.schemas[channel.schema_id], channel


def sdk():
    import foxglove
    from foxglove.websocket import ServerListener

    class Listener(ServerListener):
        def on_subscribe(self, client, channel):
            subscribed.set()

    channels = {c.topic: foxglove.Channel(c.topic, message_encoding="cdr", schema=foxglove.Schema(name=s.name, encoding="ros2msg", data=s.data)) for s, c in topics()}
    server = foxglove.start_server(name="robot", host="127.0.0.1", port=port, server_listener=Listener())
    print(server.port, flush=True)
    subscribed.wait()
    time.sleep(0.5)
    for _, channel, message, wait in paced():
        if wait:
            time.sleep(wait)
        channels[channel.topic].log(message.data, log_time=message.log_time)
    print("played", flush=True)
    sys.stdin.read()
    server.stop()


async def websocket():
    from foxglove_websocket.server import FoxgloveServer, FoxgloveServerListener

    class Listener(FoxgloveServerListener):
        async def on_subscribe(self, server, channel):
            subscribed.set()

        async def on_unsubscribe(self, server, channel):
            pass

    async with FoxgloveServer("127.0.0.1", port, "robot") as server:
        server.set_listener(Listener())
        ids = {}
        for s, c in topics():
            ids[c.topic] = await server.add_channel({"topic": c.topic, "encoding": "cdr", "schemaName": s.name, "schema": s.data.decode(), "schemaEncoding": "ros2msg"})
        print(server._opened_socket.sockets[0].getsockname()[1] if hasattr(server, "_opened_socket") else port, flush=True)
        while not subscribed.is_set():
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        for _, channel, message, wait in paced():
            await asyncio.sleep(wait)
            await server.send_message(ids[channel.topic], message.log_time, message.data)
        print("played", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(websocket()) if old else sdk()
