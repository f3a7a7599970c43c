from setuptools import setup

setup(
    name="segraph_ros", version="0.1.0", packages=["segraph_ros"], package_data={"segraph_ros": ["builtin/*.yaml"]},
    data_files=[("share/ament_index/resource_index/packages", ["resource/segraph_ros"]),
                ("share/segraph_ros", ["package.xml"]), ("share/segraph_ros/launch", ["launch/segraph.launch.py"])],
    install_requires=["segraph", "pyyaml"], entry_points={"console_scripts": ["segraph = segraph_ros.ros2:main"]},
)
