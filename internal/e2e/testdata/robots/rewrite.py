"""Writes a recording again with another program: rewrite.py BAG OUT rosbags|zstd|lz4|none. The latter three are of foxglove-sdk."""
import pathlib
import shutil
import sys

from mcap.reader import make_reader

bag, out, how = sys.argv[1:]


def messages():
    with open(bag, "rb") as f:
        yield from make_reader(f).iter_messages(log_time_order=True)


if how == "rosbags":
    from rosbags.rosbag2 import StoragePlugin, Writer

    with Writer(pathlib.Path(out + ".d"), version=9, storage_plugin=StoragePlugin.MCAP) as w:
        connections = {}
        for s, c, m in messages():
            if c.topic not in connections:
                connections[c.topic] = w.add_connection(c.topic, s.name, msgdef=s.data.decode(), rihs01="RIHS01_" + "0" * 64)
            w.write(connections[c.topic], m.log_time, m.data)
    shutil.move(str(next(pathlib.Path(out + ".d").glob("*.mcap"))), out)
else:
    import foxglove
    from foxglove.mcap import MCAPCompression, MCAPWriteOptions

    kind = {"zstd": MCAPCompression.Zstd, "lz4": MCAPCompression.Lz4, "none": None}[how]
    with foxglove.open_mcap(out, writer_options=MCAPWriteOptions(compression=kind)):
        channels = {}
        for s, c, m in messages():
            if c.topic not in channels:
                channels[c.topic] = foxglove.Channel(c.topic, message_encoding="cdr", schema=foxglove.Schema(name=s.name, encoding="ros2msg", data=s.data))
            channels[c.topic].log(m.data, log_time=m.log_time)
