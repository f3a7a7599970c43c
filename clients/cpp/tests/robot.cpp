// A robot for tests: robot URL QUEUE COUNT. It has a conversation, then says COUNT sentences, printing the number
// of each call after it returned, and its status at the end.
#include <pwd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "segraph.hpp"

static std::atomic<int> folders{0};  // that were synced

extern "C" int fdatasync(int file) {
  struct stat info {};
  folders += ::fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

// A queue that somebody truncated or removed, and one with a torn end that was sent, take and send what comes later.
static bool goes_on(segraph::Settings settings, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  settings.queue = folder / "harmed";
  segraph::Client robot(settings);
  bool all = true;
  const auto flush = [&] { all = robot.flush(std::chrono::seconds(20)) && all; };
  const auto said = [&](const std::string& text) {
    robot.said(text);
    flush();
  };
  said("before a harm");
  for (const auto& file : fs::directory_iterator(folder / "harmed" / "0"))
    if (file.path().extension() == ".log") fs::resize_file(file, 0);
  segraph::With with;
  with.by = robot.person("ida", "Ida");  // which is lost
  flush();
  said("after a truncation");
  robot.heard("after a loss", with);
  flush();
  fs::remove_all(folder / "harmed");
  said("lost");
  said("after a removal");

  settings.queue = folder / "torn";
  fs::create_directories(folder / "torn" / "0");
  const std::string line = "1 " + std::string(R"({"key":"torn","graph":{"@context":"/context.jsonld","@graph":[]}})") + "\n";
  char crc[10];
  std::snprintf(crc, sizeof crc, "%08x ", segraph::crc32(line));
  std::ofstream(folder / "torn" / "0" / "00000001.log") << crc << line << std::string(4000, '\0');
  std::ofstream(folder / "torn" / "0" / "sent") << "1 " << line.size() + 9 + 3900 << "\n";
  settings.robot = "https://museum.example/robots/luna";
  segraph::Client torn(settings);
  torn.said("after a torn end");
  return torn.flush(std::chrono::seconds(20)) && all && robot.status().dropped == 2;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::setlocale(LC_ALL, "");
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
  settings.token.clear();
  settings.token_file = std::string(argv[2]) + ".token";
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
  with = {};
  with.at = std::chrono::system_clock::time_point(std::chrono::seconds(1770800000));
  with.until = *with.at + std::chrono::milliseconds(1500);
  with.model = robot.model("Planner", "2", "acme");
  with.options = {"left", "right"};
  const auto otto = robot.person("otto", "Otto");
  with.what = "a red cup";
  robot.saw("", with);
  robot.event("Handover", {{"weight", 1.5}, {"event", 1}, {"stamp", 1767225600123456789}, {"bits", 18446744073709551615u}}, otto, with);
  with.intensity = 1;
  robot.emotion("maria", "Happy", with);
  robot.event("B\xc3\xbcro://x");
  robot.event("://x");
  robot.decided("go left", with);
  with.by = robot.person("p1", "", false);
  robot.heard("of the robot's own", with);
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
  with = segraph::because(robot.state({{"battery", 4.0}}));
  with.language = "es_ES";
  robot.said("Me voy.", with);
  flush();
  if (std::string(argv[3]) == "500" && !goes_on(settings, argv[2])) return 7;
  if (folders == 0) return 8;
  const auto status = robot.status();
  std::printf("queued %d sent %d dropped %d refused %d %s\n", int(status.queued), int(status.sent), int(status.dropped),
              int(status.refused), status.last_error.c_str());
}
