# robot_ros.py is a ROS 2 node that logs what it hears on a topic. Its callback never waits for the network.
import rclpy
from rclpy.node import Node
from std_msgs.msg import String
from segraph import Client

class Listener(Node):
    def __init__(self):
        super().__init__("segraph_listener")
        self.robot = Client("@API@", "rio", base="https://example.org/", name="Rio")
        self.create_subscription(String, "/speech", lambda message: self.robot.heard(message.data), 10)

rclpy.init()
rclpy.spin(Listener())
