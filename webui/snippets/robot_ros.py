# robot_ros.py is a ROS 2 node that reports what it hears on a topic. Save robot.py beside it.
import rclpy
from rclpy.node import Node
from std_msgs.msg import String

from robot import report

class Reporter(Node):
    def __init__(self):
        super().__init__("segraph_reporter")
        self.create_subscription(String, "/speech", self.heard, 10)

    def heard(self, message):
        try:
            self.get_logger().info("stored as log " + report(message.data))
        except OSError as error:  # the service refused it or is out of reach
            self.get_logger().error(f"not stored: {error}")

rclpy.init()
rclpy.spin(Reporter())
