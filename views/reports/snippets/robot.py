# robot.py logs what a robot heard, read in a face, decided and said.
from segraph import Client

with Client("@API@", "rio", base="https://example.org/", name="Rio") as rio:
    rio.person("ana", "Ana")
    heard = rio.heard("The painting that I came for is gone!", by="ana", confidence=0.93)
    upset = rio.emotion("ana", "sadness", intensity=0.8, because=heard)
    choice = rio.decided("comfort Ana", because=[heard, upset], why="she is sad")
    rio.said("I am sorry, Ana. May I show you another?", to="ana", answers=heard, because=choice)
    choice.done()
    if not rio.flush(5):
        raise SystemExit(f"Not stored yet: {rio.status()['last_error']}. The events stay in the queue.")
    print("Stored. Open @UI@/reports?last=session")
