// A robot for tests: robot URL QUEUE COUNT. It has a conversation, then says COUNT sentences, printing the number
// of each call after it returned, and its status at the end.
#include <pwd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <iostream>

#include "segraph.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  segraph::Settings settings;
  settings.url = argv[1];
  for (const auto name : {"HOME", "XDG_STATE_HOME", "SEGRAPH_QUEUE"}) unsetenv(name);
  settings.robot = std::string(300, 'x');  // too long for a folder
  try {
    segraph::Client homeless(settings);
    return 5;
  } catch (const std::filesystem::filesystem_error& e) {
    std::error_code used;
    std::filesystem::remove(e.path1().parent_path(), used);
    if (e.path1().string().rfind(getpwuid(getuid())->pw_dir + std::string("/.local"), 0) != 0) return 6;
  }
  settings.queue = argv[2];
  settings.robot = "iris";
  settings.name = "Iris";
  settings.base = "https://museum.example/";
  settings.token = "a\nb";
  try {
    segraph::Client refused(settings);
    return 4;
  } catch (const std::runtime_error&) {
  }
  settings.token = " token\r\n";
  segraph::Client robot(settings);
  for (int i = 0; i < 300 && std::filesystem::exists(settings.queue + "/7/00000001.log"); i++) usleep(100000);
  segraph::With with;
  with.by = "maria";
  with.confidence = 0.93;
  const auto heard = robot.heard("You are \"late\"!\n\xff\xc3\xa9", with);
  with = segraph::because(heard);
  with.intensity = 0.8;
  with.confidence = 1.7;
  const auto upset = robot.emotion("maria", "anger", with);
  with = segraph::because(upset);
  with.why = "She waited.";
  with.args = R"({"minutes":5})";
  const auto choice = robot.decided("apologize", with);
  with = segraph::because(choice);
  with.to = "maria";
  with.answers = heard;
  robot.said("I am sorry.", with);
  robot.done(choice);
  with = {};
  with.place = "hall";
  robot.state({{"battery", 82.0}, {"phase", "guide"}, {"docked", false}, {"x", 4474123.0125432}}, with, {"battery"});
  robot.saw("maria");
  with.shared = false;
  robot.saw("", with);
  robot.stopped();
  robot.problem("the arm is stuck");
  robot.jsonld({"{\"id\":\n\"https://museum.example/otto\",\"type\":\"Robot\"}", R"({"id":"urn:x:y","nonsense":1})"});
  with = {};
  with.place = "https://museum.example/" + std::string(1100, 'x');  // too long for an observation
  robot.heard("far away", with);
  for (int i = 0; i < std::atoi(argv[3]); i++) {
    robot.said("sentence " + std::to_string(i));
    std::cout << i << std::endl;
  }
  if (const auto child = fork(); child == 0) {
    segraph::Client other(settings);
    other.said("said by a child");
    other.flush(std::chrono::seconds(20));
    return 0;  // which also ends the parent's client, without its thread
  } else {
    int ended = 0;
    if (waitpid(child, &ended, 0) != child || ended != 0) return 3;
  }
  const auto flush = [&] {
    for (int i = 0; i < 60 && !robot.flush(std::chrono::seconds(1)); i++) {
    }
  };
  flush();
  rlimit files{}, none{};
  getrlimit(RLIMIT_NOFILE, &files);
  none.rlim_max = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &none);
  robot.said("without free descriptors");
  robot.flush(std::chrono::seconds(1));
  setrlimit(RLIMIT_NOFILE, &files);
  flush();
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {  // as OpenSSL may, where a peer is gone
    const auto id = std::stoi(thread.path().filename());
    if (id != getpid()) syscall(SYS_tgkill, getpid(), id, SIGPIPE);
  }
  usleep(100000);
  const auto status = robot.status();
  std::printf("queued %d sent %d dropped %d refused %d %s\n", int(status.queued), int(status.sent), int(status.dropped),
              int(status.refused), status.last_error.c_str());
}
