// robot.cpp logs what a robot heard, read in a face, decided and said.
#include <cstdio>
#include "segraph.hpp"

int main() {
  segraph::Settings settings;
  settings.url = "@API@";
  settings.robot = "rio";
  settings.name = "Rio";
  settings.base = "https://example.org/";
  if (const char* token = std::getenv("SEGRAPH_TOKEN")) settings.token = token;
  segraph::Client rio(settings);

  segraph::With with;
  with.by = "ana";
  const auto heard = rio.heard("The painting that I came for is gone!", with);
  with = segraph::because(heard);
  with.intensity = 0.8;
  const auto upset = rio.emotion("ana", "sadness", with);
  const auto choice = rio.decided("comfort Ana", segraph::because(upset));
  with = segraph::because(choice);
  with.to = "ana";
  with.answers = heard;
  rio.said("I am sorry, Ana. May I show you another?", with);
  rio.done(choice);

  if (!rio.flush(std::chrono::seconds(5))) {
    std::printf("Not stored yet: %s. The events stay in the queue.\n", rio.status().last_error.c_str());
    return 1;
  }
  std::puts("Stored. Open @UI@/reports?last=session");
}
