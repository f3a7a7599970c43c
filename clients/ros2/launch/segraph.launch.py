from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    node = Node(package="segraph_ros", executable="segraph", parameters=[{"map": LaunchConfiguration("map")}])
    return LaunchDescription([DeclareLaunchArgument("map", default_value=""), node])
