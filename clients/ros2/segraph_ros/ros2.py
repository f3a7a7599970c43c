"""A node of ROS 2 that logs what a robot does. The parameter map is the file of a map."""
import pathlib
import time

import rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosidl_runtime_py.utilities import get_message

from .mapping import Map


class Logger(Node):
    def __init__(self):
        super().__init__("segraph")
        path = self.declare_parameter("map", "").value
        self.map, self.known = Map(pathlib.Path(path).read_text()) if path else Map(), set()
        self.create_timer(1.0, self.look)

    def look(self):
        for topic, kinds in self.get_topic_names_and_types():
            offered = [p.qos_profile for p in self.get_publishers_info_by_topic(topic)]
            take = offered and topic not in self.known and self.map.find(topic, kinds[0])
            self.known.update([topic] if offered else [])
            if take:
                try:
                    self.create_subscription(get_message(kinds[0]), topic, self.guarded(topic, take), profile(offered))
                    self.get_logger().info("logs " + topic)
                except Exception as error:  # such as a package of messages that is not installed; other topics are read
                    self.get_logger().error("%s is not read: %s: %s" % (topic, type(error).__name__, error))

    def guarded(self, topic, take):
        def callback(message):
            try:
                take(message, time.time())
            except Exception as error:  # of one message; the robot goes on
                self.get_logger().warning("%s: %s: %s" % (topic, type(error).__name__, error))
        return callback


def profile(offered):
    """Returns a profile that suits all publishers. Theirs cannot be used: Fast DDS does not tell their history."""
    reliable = all(p.reliability == ReliabilityPolicy.RELIABLE for p in offered)
    latched = all(p.durability == DurabilityPolicy.TRANSIENT_LOCAL for p in offered)
    return QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
                      durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE)


def main():
    rclpy.init()
    node = Logger()
    try:
        rclpy.spin(node)
    finally:
        for client in node.map.clients.values():
            client.close()
