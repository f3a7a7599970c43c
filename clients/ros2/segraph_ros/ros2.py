"""A node of ROS 2 that logs what a robot does. The parameter map is the file of a map."""
import pathlib
import time

import rclpy
from rclpy.node import Node
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
            publishers = self.get_publishers_info_by_topic(topic)
            take = publishers and topic not in self.known and self.map.find(topic, kinds[0])
            self.known.update([topic] if publishers else [])
            if take:
                self.create_subscription(get_message(kinds[0]), topic, self.guarded(topic, take), publishers[0].qos_profile)
                self.get_logger().info("logs " + topic)

    def guarded(self, topic, take):
        def callback(message):
            try:
                take(message, time.time())
            except Exception as error:  # of one message; the robot goes on
                self.get_logger().warning("%s: %s: %s" % (topic, type(error).__name__, error))
        return callback


def main():
    rclpy.init()
    node = Logger()
    try:
        rclpy.spin(node)
    finally:
        for client in node.map.clients.values():
            client.close()
