"""A node of ROS 1 that logs what a robot does: python3 -m segraph_ros.ros1 _map:=FILE"""
import pathlib
import time

import roslib.message
import rospy

from .mapping import Map


def guarded(topic, take):
    def callback(message):
        try:
            take(message, time.time())
        except Exception as error:  # of one message; the robot goes on
            rospy.logwarn("%s: %s: %s", topic, type(error).__name__, error)
    return callback


def main():
    rospy.init_node("segraph")
    path = rospy.get_param("~map", "")
    m, known = Map(pathlib.Path(path).read_text()) if path else Map(), set()
    while not rospy.is_shutdown():
        for topic, kind in rospy.get_published_topics():
            take = topic not in known and m.find(topic, kind)
            known.add(topic)
            if take:
                try:
                    rospy.Subscriber(topic, roslib.message.get_message_class(kind), guarded(topic, take), queue_size=1000)
                except Exception as error:  # such as a package of messages that is not installed; other topics are read
                    rospy.logerr("%s of %s is not read: %s", topic, kind, error)
        time.sleep(1)
    for client in m.clients.values():
        client.close()


if __name__ == "__main__":
    main()
