"""A robot for tests: robot.py URL QUEUE RUN COUNT TOTAL. It logs COUNT of the TOTAL moments of a simulated day, printing
the number of each call after it returned, then waits until all is sent and prints its status."""
import json
import sys

import base  # noqa: F401  the path of the client
from segraph import Client

DAY = 24 * 3600


def main(url, queue, run, count, total):
    robot = Client(url, "iris", base="https://museum.example/", queue=queue)
    for i in range(count):
        at = 1764374400 + run * 60 + i * DAY / total
        robot.heard("sentence %d-%d" % (run, i), by="maria", confidence=0.9, at=at)
        print(i, flush=True)
    while not robot.flush(1):
        pass
    print(json.dumps(robot.status()), flush=True)
    robot.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]))
