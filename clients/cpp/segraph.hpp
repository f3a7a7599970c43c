// One header for C++17 that logs what a robot heard, said, saw and decided to a segraph service. Link with -lcurl
// -pthread.
//
//   segraph::Settings settings;
//   settings.robot = "iris";
//   segraph::Client robot(settings);
//   segraph::With with;
//   with.by = "maria";
//   auto heard = robot.heard("You are late!", with);
//   auto choice = robot.decided("apologize", segraph::because(heard));
//   robot.said("I am sorry.", segraph::because(choice));
//   robot.done(choice);
//
// A call writes one line to a queue on disk and returns: a kill loses nothing, a power cut at most the last second. A
// thread sends the lines in order, and again until the service has stored or refused each, once. Refused lines are in
// refused.jsonl with the reason; these and lost lines are logged as incidents. Any thread may call, but no signal
// handler; after a fork, make another Client, since the old one belongs to the parent. Processes with one folder have
// queues of their own, and also send what the robot's processes that ended left there, to their own url, since a service
// may move: for two services, name two queues. The constructor throws std::runtime_error; calls throw nothing but
// std::bad_alloc.
#pragma once

#include <curl/curl.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <locale>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

namespace segraph {

// Settings of a client. base begins the IRIs of a site, and name is shown for the robot. token_file is read for each
// request. An empty token or queue is read from SEGRAPH_TOKEN or SEGRAPH_QUEUE. Over max_queue bytes, the oldest lines
// are dropped and counted.
struct Settings {
  std::string url = "http://localhost:5000", robot, base = "urn:segraph:", name, token, token_file, queue;
  std::uint64_t max_queue = 256u << 20;
  bool resolve = true;
};

// The IRI of what a call logged, and of its message. A state is an entity; anything else is an activity.
struct Ref {
  std::string iri, message;
  bool entity = false;
};

// What a call may add. People, places and models are IRIs or names; args is JSON; confidence and intensity are from 0 to
// 1, or not logged; at is when it happened, by default now, and until when it ended.
struct With {
  std::string by, to, place, model, language, why, args, part, level, what;
  std::vector<std::string> options;
  std::vector<Ref> because;
  Ref answers;
  std::optional<double> confidence, intensity;
  std::optional<std::chrono::system_clock::time_point> at, until;
  bool shared = true;
};

// What a call was caused by, and nothing else.
inline With because(const Ref& cause) {
  With with;
  with.because = {cause};
  return with;
}

struct Value : std::variant<double, bool, std::string, std::int64_t, std::uint64_t> {
  Value() = default;
  Value(double n) : variant(n) {}
  Value(bool b) : variant(b) {}
  Value(std::string text) : variant(std::move(text)) {}
  template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Value(T n) : variant(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(n)) {}
  Value(const char* text) : variant(std::string(text)) {}
};

// How many lines are queued, and were sent, dropped and refused since the start.
struct Status {
  std::uint64_t queued, sent, dropped, refused;
  std::string last_error;
};

// Writes text as JSON. Bytes that are no UTF-8 become U+FFFD.
inline std::string quote(const std::string& text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t n) { return n < text.size() ? static_cast<unsigned char>(text[n]) : 0u; };
    const unsigned c = byte(i);
    std::size_t n = c < 0x80                ? 1
                    : c >= 0xC2 && c < 0xE0 ? 2
                    : c >= 0xE0 && c < 0xF0 ? 3
                    : c >= 0xF0 && c < 0xF5 ? 4
                                            : 0;
    for (std::size_t k = 1; k < n; k++)
      if ((byte(i + k) & 0xC0) != 0x80) n = 0;
    if ((c == 0xE0 && byte(i + 1) < 0xA0) || (c == 0xED && byte(i + 1) > 0x9F) || (c == 0xF0 && byte(i + 1) < 0x90) ||
        (c == 0xF4 && byte(i + 1) > 0x8F))
      n = 0;
    if (n == 0) {
      out += "\xEF\xBF\xBD";
      i++;
    } else if (c == '"' || c == '\\') {
      out += {'\\', text[i++]};
    } else if (c < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
      i++;
    } else {
      out.append(text, i, n);
      i += n;
    }
  }
  return out + "\"";
}

inline std::uint32_t crc32(const std::string& data) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; i++) {
      t[i] = i;
      for (int k = 0; k < 8; k++) t[i] = t[i] & 1 ? t[i] >> 1 ^ 0xEDB88320u : t[i] >> 1;
    }
    return t;
  }();
  std::uint32_t c = ~0u;
  for (unsigned char b : data) c = table[(c ^ b) & 255] ^ c >> 8;
  return ~c;
}

// A queue of lines in the files of a folder that one process has locked: that of the Python client, whose file
// _queue.py describes it.
class Queue {
 public:
  // The queue in the first free slot of a folder, or in one that is locked.
  Queue(const std::filesystem::path& folder, const std::string& robot, std::uint64_t limit) : Queue(limit) {
    for (int slot = 0; lock_ < 0; slot++) lock_ = lock(path_ = folder / std::to_string(slot), robot);
    load();
  }
  Queue(const std::filesystem::path& slot, int lock, std::uint64_t limit) : Queue(limit) {
    path_ = slot;
    lock_ = lock;
    load();
  }
  // If all lines are sent, it removes the segments.
  ~Queue() {
    sync();
    if (loaded_ && queued() == 0) {
      save(last() + 1, 0);
      while (!size_.empty()) drop(last());
    }
    if (file_ >= 0) ::close(file_);
    ::close(lock_);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  static bool has_lines(const std::filesystem::path& slot) {
    const std::filesystem::directory_iterator files(slot);
    return std::any_of(begin(files), end(files), [](auto& f) { return f.path().extension() == ".log"; });
  }
  // Locks a slot. It returns -1 if another client owns it, or if it has lines of another robot, which must be
  // sent with that robot's token.
  static int lock(const std::filesystem::path& slot, const std::string& robot) {
    std::filesystem::create_directories(slot.parent_path());
    ::mkdir(slot.c_str(), 0700);
    const int lock = ::open((slot / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool owned = false;
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0) {
      std::ostringstream owner;
      owner << std::ifstream(slot / "lock").rdbuf();
      if (owner.str() == robot) return lock;
      owned = !owner.str().empty() && has_lines(slot);
      if (!owned && ::ftruncate(lock, 0) == 0 && ::pwrite(lock, robot.data(), robot.size(), 0) >= 0) return lock;
    } else {
      owned = lock >= 0 && errno == EWOULDBLOCK;
    }
    if (lock >= 0) ::close(lock);
    if (!owned) throw std::runtime_error("the queue cannot be opened: " + slot.string());
    return -1;
  }

  // Appends a line and reports whether it is written. Dropped lines are added to lost.
  bool append(const std::string& line, std::uint64_t& lost) {
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    const std::string rest = std::to_string(now) + " " + line + "\n";
    char crc[10];
    std::snprintf(crc, sizeof crc, "%08x ", crc32(rest));
    const std::string data = crc + rest;
    std::lock_guard<std::mutex> hold(mutex_);
    if (file_ < 0 || size_[last()] >= segment_) open(lost);
    if (file_ < 0 || ::write(file_, data.data(), data.size()) != static_cast<ssize_t>(data.size())) {
      if (file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(size_[last()])) != 0) open(lost);
      lost++;
      return false;
    }
    size_[last()] += data.size();
    lines_[last()]++;
    dirty_ = true;
    return true;
  }

  // Returns at most so many lines that are not sent. damaged is how many more cannot be read, and length the size of
  // all on disk.
  std::vector<std::string> read(std::size_t most, std::uint64_t& length, std::uint64_t& damaged) {
    std::unique_lock<std::mutex> hold(mutex_);
    length = damaged = 0;
    while (size_.size() > 1 && offset_ >= size_.begin()->second) drop(size_.begin()->first), offset_ = 0;
    if (size_.empty() || offset_ >= size_.begin()->second) return {};
    const std::uint64_t end = size_.begin()->second, offset = offset_, all = lines_[size_.begin()->first];
    const auto file = name(size_.begin()->first);
    std::ifstream in(file, std::ios::binary);
    std::error_code failed;
    if (!in.is_open() && (std::filesystem::exists(file, failed) || failed)) return {};  // too many files are open
    reading_ = true;
    hold.unlock();
    in.seekg(static_cast<std::streamoff>(offset));
    std::vector<std::string> found;
    std::uint64_t bytes = 0;
    for (std::string line;
         found.size() < most && bytes < 1u << 20 && offset + length < end && std::getline(in, line);) {
      length += line.size() + 1;
      bytes += line.size();
      if (sound(line))
        found.push_back(line.substr(line.find(' ', 9) + 1));
      else if (!in.eof())
        damaged++;
    }
    if (length > 0) return found;
    length = end - offset;  // the file is gone or shorter, or the disk fails
    damaged = std::max<std::uint64_t>(all, 1);
    hold.lock();
    if (size_.size() == 1) {  // the next lines would be there, too
      if (file_ >= 0) full_.push_back(file_);
      file_ = -1;
      size_.emplace(last() + 1, 0);
    }
    return {};
  }

  // Says that what read returned is stored, refused or damaged.
  void acknowledge(std::uint64_t length, std::uint64_t lines) {
    std::unique_lock<std::mutex> hold(mutex_);
    const std::uint64_t number = size_.begin()->first, offset = offset_ += length;
    reading_ = false;
    auto& left = lines_[number];
    left -= std::min(left, lines);
    hold.unlock();  // the disk may be slow
    save(number, offset);
  }

  void sync() {
    std::unique_lock<std::mutex> hold(mutex_);
    auto files = std::move(full_);
    full_.clear();
    if (const int file = dirty_.exchange(false) && file_ >= 0 ? ::dup(file_) : -1; file >= 0) files.push_back(file);
    hold.unlock();
    for (const int file : files) {
      ::fdatasync(file);
      ::close(file);
    }
  }
  std::uint64_t queued() {
    std::lock_guard<std::mutex> hold(mutex_);
    std::uint64_t n = 0;
    for (const auto& [_, lines] : lines_) n += lines;
    return n;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit Queue(std::uint64_t limit)
      : limit_(limit), segment_(std::min(limit / 8 + 1, std::uint64_t{4} << 20)) {}
  std::filesystem::path name(std::uint64_t number) const {
    char text[32];
    std::snprintf(text, sizeof text, "%08llu.log", static_cast<unsigned long long>(number));
    return path_ / text;
  }
  std::uint64_t last() const { return size_.rbegin()->first; }
  static bool sound(const std::string& line) {
    return line.size() > 9 && line.find(' ', 9) != std::string::npos &&
           std::strtoul(line.substr(0, 8).c_str(), nullptr, 16) == crc32(line.substr(9) + "\n");
  }
  void drop(std::uint64_t number) {
    std::error_code ignored;
    std::filesystem::remove(name(number), ignored);
    size_.erase(number);
    lines_.erase(number);
  }

  void save(std::uint64_t number, std::uint64_t offset) {
    const auto sent = path_ / "sent", fresh = path_ / "sent.new";
    std::ofstream out(fresh);
    out << number << " " << offset << "\n" << std::flush;
    if (!out) return;  // the disk is full: after a restart these lines are sent again, which changes nothing
    std::error_code ignored;
    std::filesystem::rename(fresh, sent, ignored);
  }

  void load() {
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().extension() == ".log") size_[std::stoull(entry.path().stem())] = entry.file_size();
    std::uint64_t number = 0, offset = 0;
    if (std::ifstream in(path_ / "sent"); in >> number >> offset)
      while (!size_.empty() && size_.begin()->first < number) drop(size_.begin()->first);
    if (size_.empty()) size_[number + 1] = 0;
    if (size_.begin()->first == number) offset_ = offset <= size_.begin()->second ? offset : 0;
    if (offset_ < offset) save(number, 0);  // after a power cut, it would hide lines that are appended now
    for (auto& [n, size] : size_) {
      std::ifstream in(name(n), std::ios::binary);
      if (!in && size > 0) throw std::runtime_error("the queue cannot be read");  // as without a free descriptor
      std::uint64_t at = 0, good = 0, lines = 0;
      for (std::string line; std::getline(in, line);) {
        at += line.size() + 1;
        if (at > size) break;  // it has no end
        if (n != size_.begin()->first || at > offset_) lines++;
        if (n != last() || sound(line)) good = at, lines_[n] = lines;
      }
      if (n == last() && good < size) {  // a torn end
        size = good;
        if (::truncate(name(n).c_str(), static_cast<off_t>(good)) != 0)
          throw std::runtime_error("the queue cannot be repaired");
      }
    }
    if (offset_ > size_.begin()->second) {  // of lines in the torn end: it would hide those that are appended now
      size_.clear();
      lines_.clear();
      return load();
    }
    loaded_ = true;
  }
  // Locks the slot again, after somebody removed the folder, and reports whether that is done.
  bool relock() {
    std::string robot(4096, 0);
    const auto n = ::pread(lock_, robot.data(), robot.size(), 0);
    robot.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    try {
      const int fresh = lock(path_, robot);
      if (fresh < 0) return false;
      ::close(lock_);
      lock_ = fresh;
    } catch (const std::runtime_error&) {
      return false;
    }
    return true;
  }

  void open(std::uint64_t& lost) {
    const std::uint64_t number = size_[last()] >= segment_ ? last() + 1 : last();
    const auto make = [&] { return ::open(name(number).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600); };
    int file = make();
    if (file < 0 && errno == ENOENT && relock()) file = make();
    if (file < 0) return;
    if (const int folder = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0)
      full_.push_back(folder);  // it has the file's name
    if (file_ >= 0) full_.push_back(file_);
    file_ = file;
    size_.emplace(number, 0);
    std::uint64_t all = segment_;
    for (const auto& [_, size] : size_) all += size;
    while (all > limit_ && size_.size() > 2) {  // what is being sent stays
      const auto oldest = reading_ ? std::next(size_.begin()) : size_.begin();
      all -= oldest->second;
      lost += lines_[oldest->first];
      offset_ = reading_ ? offset_ : 0;
      drop(oldest->first);
    }
  }

  const std::uint64_t limit_, segment_;
  std::filesystem::path path_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> size_, lines_;  // of each segment; lines are those that are not sent
  std::uint64_t offset_ = 0;                             // of the first unsent line in the first segment
  int lock_ = -1, file_ = -1;
  std::vector<int> full_;  // files of full segments, and folders, that are not synced yet
  bool reading_ = false, loaded_ = false;
  std::atomic<bool> dirty_{false};
};

class Client {
 public:
  explicit Client(Settings settings)
      : s_(checked(std::move(settings))), queue_(*new Queue(folder(s_), s_.robot, s_.max_queue)) {
    std::random_device random;
    char boot[16];
    std::snprintf(boot, sizeof boot, "%08x%04x", random(), random() & 0xFFFFu);
    boot_ = boot;
    robot_ = iri("robot", s_.robot);
    own_ = robot_ + "/";
    curl_global_init(CURL_GLOBAL_DEFAULT);
    thread_ = std::thread([this] { send(); });
    introduce();
  }
  ~Client() {
    if (pid_ != ::getpid()) return;  // in a forked child, which has no such thread, and locks that nobody opens
    close();
    delete &queue_;
    delete &wake_;
    delete &progress_;
    delete &thread_;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // A sentence that with.by said.
  Ref heard(const std::string& text, const With& with = {}) {
    const auto now = time(with.at);
    auto ref = make("heard");
    const auto who = with.by.empty() ? "" : iri("person", with.by);
    describe(with.by, with);
    std::map<std::string, Value> more;
    if (is_fraction(with.confidence)) more["confidence"] = *with.confidence;
    return log({activity(ref.iri, "ListeningEvent", "heard", with, now) + "}",
                message(ref, "InitialMessage", text, who, with) + values(ref.message, more) + "}"},
               seen(ref.iri, "human_utterance", "speech", now, who, text, with), ref);
  }
  // A sentence of the robot.
  Ref said(const std::string& text, With with = {}) {
    auto ref = make("said");
    describe(with.to, with);
    if (!with.answers.iri.empty()) with.because.push_back(with.answers);
    auto node = message(ref, "ResponseMessage", text, robot_, with);
    if (!with.answers.iri.empty())
      node += R"(,"wasDerivedFrom":)" + quote(with.answers.message.empty() ? with.answers.iri : with.answers.message);
    if (!with.to.empty()) node += R"(,"schema:recipient":)" + id(iri("person", with.to)) + "}";
    return log({activity(ref.iri, "ResponseAction", text, with, time(with.at)) + "}", node + "}"}, "", ref);
  }
  // An emotion of a person: happiness, sadness, anger, fear, disgust, surprise, or a word of your own.
  Ref emotion(const std::string& of, const std::string& category, const With& with = {}) {
    static const std::map<std::string, std::string> big6 = {
        {"happiness", "happiness"}, {"happy", "happiness"},   {"joy", "happiness"},   {"sadness", "sadness"},
        {"sad", "sadness"},         {"anger", "anger"},       {"angry", "anger"},     {"fear", "fear"},
        {"scared", "fear"},         {"afraid", "fear"},       {"disgust", "disgust"}, {"disgusted", "disgust"},
        {"surprise", "surprise"},   {"surprised", "surprise"}};
    auto word = category;
    for (auto& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto known = big6.find(word);
    auto ref = make("emotion");
    ref.message.clear();
    describe(of, with);
    const auto note = part(ref.iri, "annotation");
    auto felt = id(part(ref.iri, "emotion")) + R"(,"type":"Emotion","hasEmotionCategory":)" +
                quote(known != big6.end() ? "emoml:big6_" + known->second : iri("emotion", category));
    if (is_fraction(with.intensity)) felt += R"(,"hasEmotionIntensity":")" + fraction(*with.intensity) + "\"";
    if (is_fraction(with.confidence)) felt += R"(,"algorithmConfidence":")" + fraction(*with.confidence) + "\"";
    return log({activity(ref.iri, "EmotionAnalysis", category, with, time(with.at)) + R"(,"producedEntityResult":)" +
                    quote(note) + "}",
                id(note) + R"(,"type":["Annotation","EmotionAnnotation"],"hasTarget":)" + quote(iri("person", of)) +
                    R"(,"hasEmotion":)" + felt + "}}"},
               "", ref);
  }
  // That the robot noticed a person, somebody, or with.what, a thing in words.
  Ref saw(const std::string& who = "", const With& with = {}) {
    const auto now = time(with.at);
    auto ref = make("saw");
    ref.message.clear();
    const auto person = who.empty() ? "" : iri("person", who);
    describe(who, with);
    const bool thing = !with.what.empty();
    const auto observation =
        seen(ref.iri, thing ? "object_presence" : "human_presence", "vision", now, person, with.what, with);
    auto node = activity(ref.iri, thing ? "Observation" : "DetectedHumanEvent", "saw " + (thing ? with.what : "somebody"),
                         with, now);
    if (!observation.empty()) return log({node + "}"}, observation, ref);
    const auto event = ref.iri + "/event";
    return log({node + R"(,"about":)" + quote(event) + "}",
                id(event) + R"(,"type":"Event")" + (who.empty() ? "" : R"(,"about":)" + quote(person)) +
                    (thing ? R"(,"description":)" + quote(with.what) : "") + "}"},
               "", ref);
  }
  // A decision, with its reason (with.why), arguments (with.args), and the options there were.
  Ref decided(const std::string& what, const With& with = {}) {
    auto ref = make("decided");
    ref.message.clear();
    describe("", with);
    std::map<std::string, Value> more;
    if (!with.why.empty()) more["why"] = with.why;
    if (!with.args.empty()) more["args"] = with.args;
    for (std::size_t i = 0; i < with.options.size(); i++) more["option" + std::to_string(i + 1)] = with.options[i];
    return log({activity(ref.iri, "DecisionMakingAction", what, with, time(with.at)) + values(ref.iri, more) + "}"}, "", ref);
  }
  // How a decision ended: completely, or it failed.
  void done(const Ref& decision, bool succeeded = true) {
    log({id(decision.iri) + R"(,"endedAtTime":)" + quote(time()) + R"(,"schema:actionStatus":{"id":"schema:)" +
         (succeeded ? "Completed" : "Failed") + R"(ActionStatus"}})"},
        "");
  }
  // The robot's place (with.place) and properties; names in percent have the unit PERCENT.
  Ref state(const std::map<std::string, Value>& properties, const With& with = {},
            const std::vector<std::string>& percent = {}) {
    auto ref = make("state");
    ref.message.clear();
    auto node = id(ref.iri) + R"(,"type":["prov:Entity","Result"],"wasAttributedTo":)" + quote(robot_) +
                R"(,"generatedAtTime":)" + quote(time(with.at));
    if (!with.place.empty()) node += R"(,"atLocation":)" + quote(iri("place", with.place));
    ref.entity = true;
    return log({node + values(ref.iri, properties, percent) + "}"}, "", ref);
  }
  // That an emergency stop holds the robot, or no longer.
  Ref stopped(bool on = true, const With& with = {}) {
    const auto now = time(with.at);
    auto ref = make("stopped");
    ref.message.clear();
    const auto state = part(ref.iri, "state");
    return log(
        {activity(ref.iri, "sc:EmergencyStop", on ? "emergency stop" : "emergency stop released", with, now) + "}",
         id(state) + R"(,"type":["prov:Entity","Result"],"wasAttributedTo":)" + quote(robot_) +
             R"(,"generatedAtTime":)" + quote(now) + values(state, {{"emergency_stop", on}}) + "}"},
        "", ref);
  }
  // An incident, with with.level and with.part.
  Ref problem(const std::string& text, const With& with = {}) {
    auto ref = make("problem");
    ref.message.clear();
    return log({incident(ref.iri, text, with)}, "", ref);
  }
  // An activity of a class of your own, an IRI or a name, about a person or thing.
  Ref event(const std::string& kind, const std::map<std::string, Value>& properties = {}, const std::string& of = "",
            const With& with = {}) {
    auto ref = make("event");
    ref.message.clear();
    describe(of, with);
    std::vector<std::string> nodes = {activity(ref.iri, iri("class", kind), kind.substr(kind.find_last_of('/') + 1), with,
                                               time(with.at)) +
                                      values(ref.iri, properties)};
    if (!of.empty()) {
      nodes[0] += R"(,"about":)" + quote(ref.iri + "/event");  // no part, which may be a property
      nodes.push_back(id(ref.iri + "/event") + R"(,"type":"Event","about":)" + quote(iri("person", of)) + "}");
    }
    nodes[0] += "}";
    return log(nodes, "", ref);
  }
  // A person, once. It returns the IRI. One who is not permanent is not compared with what other robots say: the name is
  // this robot's own, or may soon mean somebody else.
  std::string person(const std::string& name, const std::string& shown = "", bool permanent = true) {
    return once(permanent ? iri("person", name) : own_ + "person/" + encoded(name),
                human + (shown.empty() ? "" : R"(,"name":)" + quote(shown)));
  }
  // A model, once. It returns the IRI.
  std::string model(const std::string& name, const std::string& version = "", const std::string& provider = "") {
    auto members = R"(,"type":"Model","label":)" + quote(name);
    if (!version.empty()) members += R"(,"version":)" + quote(version);
    if (!provider.empty())
      members += R"(,"provider":)" + id(iri("provider", provider)) + R"(,"name":)" + quote(provider) + "}";
    return once(iri("model", version.empty() ? name : name + "-" + version), members);
  }
  // Nodes of JSON-LD in the words of the service's context.
  void jsonld(const std::vector<std::string>& nodes) { log(nodes, ""); }

  // Waits until all is stored or refused, and reports whether that took no longer.
  bool flush(std::chrono::milliseconds timeout) {
    std::unique_lock<std::mutex> hold(mutex_);
    wake_.notify_all();
    return progress_.wait_for(hold, timeout, [this] { return queue_.queued() == 0; });
  }
  Status status() {
    std::lock_guard<std::mutex> hold(mutex_);
    return {queue_.queued(), sent_, dropped_ + lost_, refused_, error_};
  }
  // Sends what it can. What is left is sent at the next start.
  void close(std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
    if (pid_ != ::getpid() || !thread_.joinable()) return;
    report(true);
    flush(timeout);
    stop_ = true;
    wake_.notify_all();
    thread_.join();
  }

 private:
  inline static const std::string human = R"(,"type":["Human","prov:Person"])";
  static bool is_fraction(const std::optional<double>& v) { return v && *v >= 0 && *v <= 1; }
  static std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
  }
  static Settings checked(Settings s) {
    if (s.token.empty()) s.token = environment("SEGRAPH_TOKEN");
    if (s.queue.empty()) s.queue = environment("SEGRAPH_QUEUE");
    s.token = trimmed(s.token);
    return s;
  }
  static std::string trimmed(std::string token) {
    const auto space = [](unsigned char c) { return std::isspace(c) != 0; };
    while (!token.empty() && space(token.back())) token.pop_back();
    token.erase(token.begin(), std::find_if_not(token.begin(), token.end(), space));
    for (const unsigned char c : token)
      if (c < '!' || c > '~') throw std::runtime_error("the token has other characters than visible ones of ASCII");
    return token;
  }
  static std::filesystem::path folder(const Settings& s) {
    if (s.robot.empty()) throw std::runtime_error("the robot has no id");
    if (!s.queue.empty()) return s.queue;
    const auto state = environment("XDG_STATE_HOME");
    auto home = environment("HOME");
    if (const auto user = home.empty() ? ::getpwuid(::getuid()) : nullptr) home = user->pw_dir;  // a service may have no HOME
    return std::filesystem::path(state.empty() ? home + "/.local/state" : state) / "segraph" / encoded(s.robot);
  }
  static std::string encoded(const std::string& name) {
    std::string out;
    for (unsigned char c : name) {
      char text[4];
      std::snprintf(text, sizeof text, "%%%02X", c);
      out +=
          (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.' || c == '~' ? std::string(1, static_cast<char>(c)) : text;
    }
    return out;
  }
  static std::string number(double v) {
    for (int digits = 15;; digits = 17) {
      std::ostringstream out;
      out.imbue(std::locale::classic());
      out.precision(digits);
      out << v;
      std::istringstream in(out.str());
      in.imbue(std::locale::classic());
      double read = 0;
      if (digits == 17 || (in >> read && read == v)) return out.str();
    }
  }
  // Returns a number from 0 to 1 as the other clients write it.
  static std::string fraction(double v) {
    const auto text = number(std::round(v * 1e6) / 1e6);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  static std::string time(const std::optional<std::chrono::system_clock::time_point>& at = {}) {
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                         at.value_or(std::chrono::system_clock::now()).time_since_epoch())
                         .count();
    const std::time_t seconds = static_cast<std::time_t>(now / 1000000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char text[32], rest[16];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    std::snprintf(rest, sizeof rest, ".%06dZ", static_cast<int>(now % 1000000));
    return std::string(text) + rest;
  }
  std::string iri(const std::string& kind, const std::string& name) const {
    static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const auto scheme = name.find_first_not_of(letters + "0123456789+.-");
    const bool has_scheme = scheme != std::string::npos && name.compare(scheme, 3, "://") == 0 &&
                            letters.find(name[0]) != std::string::npos;
    const bool is_iri = (has_scheme || name.rfind("urn:", 0) == 0) &&
                        std::none_of(name.begin(), name.end(), [](unsigned char c) {
                          return c <= ' ' || std::string("<>\"{}|^`\\").find(static_cast<char>(c)) != std::string::npos;
                        });
    return is_iri ? name : s_.base + kind + "/" + encoded(name);
  }
  static std::string part(const std::string& of, const std::string& name) {
    return of + (of.find('#') == std::string::npos ? "#" : "-") + encoded(name);
  }
  Ref make(const std::string& kind) {
    const auto made = own_ + kind + "/" + boot_ + "-" + std::to_string(++number_);
    return {made, part(made, "message")};
  }
  static std::string id(const std::string& iri) { return R"({"id":)" + quote(iri); }
  std::string activity(const std::string& iri_, const std::string& type, const std::string& label, const With& with,
                       const std::string& at) const {
    auto node = id(iri_) + R"(,"type":["LoggedActivity",)" + quote(type) + R"(],"label":)" + quote(label) +
                R"(,"wasPerformedBy":)" + quote(robot_) + R"(,"startedAtTime":)" + quote(at);
    for (const bool entity : {false, true}) {
      std::string causes;
      for (const auto& cause : with.because)
        if (cause.entity == entity) causes += (causes.empty() ? "" : ",") + quote(cause.iri);
      if (!causes.empty()) node += (entity ? R"(,"triggeredByEntity":[)" : R"(,"triggeredByActivity":[)") + causes + "]";
    }
    if (with.until) node += R"(,"endedAtTime":)" + quote(time(with.until));
    if (!with.model.empty()) node += R"(,"usedMLModel":)" + quote(iri("model", with.model));
    if (!with.place.empty()) node += R"(,"atLocation":)" + quote(iri("place", with.place));
    return node;
  }
  static std::string message(const Ref& ref, const std::string& type, const std::string& text,
                             const std::string& sender, const With& with) {
    static const std::regex tag("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*");
    auto language = with.language;
    std::replace(language.begin(), language.end(), '_', '-');  // of a locale
    auto node =
        id(ref.message) + R"(,"type":["Message",)" + quote(type) + R"(],"wasGeneratedBy":)" + quote(ref.iri) +
        R"(,"text":)" +
        (language.size() < 100 && std::regex_match(language, tag) ? R"({"@value":)" + quote(text) + R"(,"@language":)" + quote(language) + "}"
                                         : quote(text));
    return sender.empty() ? node : node + R"(,"sender":)" + quote(sender);
  }
  static std::string values(const std::string& of, const std::map<std::string, Value>& properties,
                            const std::vector<std::string>& percent = {}) {
    std::string out;
    for (const auto& [name, value] : properties) {
      std::string text;
      if (const auto* n = std::get_if<double>(&value)) text = std::isfinite(*n) ? number(*n) : quote(number(*n));
      if (const auto* i = std::get_if<std::int64_t>(&value)) text = std::to_string(*i);
      if (const auto* i = std::get_if<std::uint64_t>(&value)) text = std::to_string(*i);
      if (const auto* b = std::get_if<bool>(&value)) text = *b ? "true" : "false";
      if (const auto* s = std::get_if<std::string>(&value)) text = quote(*s);
      const bool unit = std::find(percent.begin(), percent.end(), name) != percent.end();
      out += (out.empty() ? "" : ",") + id(part(of, name)) + R"(,"type":"PropertyValue","propertyID":)" + quote(name) +
             R"(,"value":)" + text + (unit ? R"(,"unitCode":"PERCENT"})" : "}");
    }
    return out.empty() ? out : R"(,"additionalProperty":[)" + out + "]";
  }
  std::string incident(const std::string& iri_, const std::string& text, const With& with) const {
    std::map<std::string, Value> more{{"level", with.level.empty() ? "error" : with.level}};
    if (!with.part.empty()) more["part"] = with.part;
    return activity(iri_, "sc:Incident", text, with, time(with.at)) + values(iri_, more) + "}";
  }
  std::string seen(const std::string& of, const std::string& kind, const std::string& modality, const std::string& at,
                   const std::string& who, const std::string& text, const With& with) const {
    if (!s_.resolve || !with.shared) return "";
    auto out = R"(,"observation":{"event_kind":)" + quote(kind) + R"(,"observed_at":)" + quote(at) + R"(,"modality":)" +
               quote(modality) + R"(,"robot_uri":)" + quote(robot_) + R"(,"observation_uri":)" + quote(of);
    if (!who.empty() && who.rfind(own_, 0) != 0) out += R"(,"subject_uri":)" + quote(who);
    if (!text.empty()) out += R"(,"text":)" + quote(text);
    if (!with.place.empty()) out += R"(,"location_uri":)" + quote(iri("place", with.place));
    return out + R"(},"about":)" + quote(of);
  }

  void introduce() {
    log({id(robot_) + R"(,"type":"Robot","name":)" + quote(s_.name.empty() ? s_.robot : s_.name) + "}"}, "");
  }
  // Logs a person and the model of a call, if they were logged but may be lost, or are names that were not logged yet.
  void describe(const std::string& who, const With& with) {
    describe(iri("person", who), who, human);
    describe(iri("model", with.model), with.model, R"(,"type":"Model","label":)" + quote(with.model));
  }
  void describe(const std::string& node, const std::string& name, std::string members) {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      const auto known = known_.find(node);
      if (name.empty() || (known == known_.end() && node == name)) return;
      if (known != known_.end()) members = known->second.members;
    }
    once(node, members);
  }
  // Logs what does not change, once. It returns its IRI.
  std::string once(const std::string& node, const std::string& members) {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      if (known_.size() >= 10000) known_.clear();
      auto& logged = known_[node];
      if (logged.members == members && !logged.lost) return node;
      logged = {members, false};
    }
    log({id(node) + members + "}"}, "");
    return node;
  }
  Ref log(const std::vector<std::string>& nodes, const std::string& observation, Ref ref = {}) {
    std::uint64_t lost = 0;
    queue_.append(line(nodes, observation), lost);
    lost_ += lost;
    return ref;
  }
  std::string line(const std::vector<std::string>& nodes, const std::string& observation) {
    std::string graph;
    for (const auto& node : nodes) graph += (graph.empty() ? "" : ",") + node;
    auto out = R"({"key":")" + boot_ + "." + std::to_string(++number_) +
               R"(","graph":{"@context":"/context.jsonld","@graph":[)" + graph + "]}" + observation + "}";
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }
  // Logs how many events were lost, and refused. Such a line may be refused itself, so that there is one a minute, and a
  // last one.
  void report(bool last = false) {
    std::lock_guard<std::mutex> hold(mutex_);
    const std::uint64_t lost = lost_, total = dropped_ + lost;
    if (lost > 0 && tell(std::to_string(total) + " events were lost: the queue or the disk was full")) {
      dropped_ = total;
      lost_ -= lost;
      for (auto& known : known_) known.second.lost = true;  // the oldest lines are lost first, and these are logged once only
      introduce();
    }
    const auto now = std::chrono::steady_clock::now();
    if (refused_ == told_ || (!last && told_ > 0 && now - last_told_ < std::chrono::minutes(1))) return;
    const auto refused = refused_ - told_;
    told_ = refused_;
    last_told_ = now;
    tell(std::to_string(refused) + " events were refused: " + reason_.substr(0, 300));
  }
  bool tell(const std::string& text) {
    With with;
    with.part = "log";
    std::uint64_t lost = 0;
    const bool written = queue_.append(line({incident(make("problem").iri, text, with)}, ""), lost);
    lost_ += written ? lost : lost - 1;  // it does not count itself
    return written;
  }

  // The thread: reads, posts, and settles each line.
  void send() {
    sigset_t pipe;  // OpenSSL may write to a connection that is gone, and the signal would end the program
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    curl_ = curl_easy_init();
    for (int idle = 0; !stop_;) {
      report();
      queue_.sync();
      if (send_some(queue_)) continue;
      if (idle++ % 25 == 0) adopt();
      wait(0.2);
    }
    curl_easy_cleanup(curl_);
  }
  // Sends the next lines of a queue, and reports whether there were any.
  bool send_some(Queue& queue) {
    std::uint64_t length = 0, damaged = 0;
    auto lines = queue.read(most_, length, damaged);
    const auto n = lines.size() + damaged;
    if (length == 0 || !deliver(std::move(lines))) return length > 0;
    queue.acknowledge(length, n);
    std::lock_guard<std::mutex> hold(mutex_);
    lost_ += damaged;
    progress_.notify_all();
    return true;
  }
  // Sends what the robot's processes that ended left in the folder.
  void adopt() {
    try {
      for (const auto& slot : std::filesystem::directory_iterator(queue_.path().parent_path())) {
        if (slot.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
        const int lock = Queue::has_lines(slot) ? Queue::lock(slot, s_.robot) : -1;
        if (lock < 0) continue;
        Queue left(slot, lock, s_.max_queue);
        while (!stop_ && send_some(left)) {
        }
      }
    } catch (const std::exception& e) {
      set_error(e.what());
    }
  }
  // Sends lines until each is stored or refused. It returns false if the client is closed before.
  bool deliver(std::vector<std::string> lines) {
    for (int broken = 0; !lines.empty();) {
      if (stop_) return false;
      std::string body, answer, type;
      for (const auto& one : lines) body += one + "\n";
      double wanted = 0;
      const long status = post(body, answer, type, wanted);
      std::vector<std::string> answers, again;
      std::istringstream in(answer);
      for (std::string one; std::getline(in, one);) answers.push_back(one);
      const bool problem = type.find("problem+json") != std::string::npos;
      if (status == 200 && answers.size() == lines.size()) {
        std::string error;
        for (std::size_t i = 0; i < lines.size(); i++) settle(lines[i], answers[i], again, error);
        lines = std::move(again);
        answer = error;
        broken += error.find(R"("status":500)") != std::string::npos;
        failures_ = error.empty() ? 0 : failures_;
        most_ = std::min(2 * most_, std::size_t{200});
        if (!error.empty())
          retry(error, 0);
        else
          set_error("");
      } else if (status == 413 && lines.size() > 1) {  // of a proxy too
        return halve(lines);
      } else if (problem && (status == 400 || status == 413 || status == 422)) {
        if (lines.size() == 1) return refuse(lines[0], answer), true;
        return halve(lines);
      } else {
        broken += (problem && status == 500) || status == 413;
        const bool passing =
            status == 0 || status == 200 || status == 408 || status == 425 || status == 429 || status >= 500;
        retry(status == 0 ? answer : std::to_string(status) + " " + answer.substr(0, 200), passing ? wanted : 60);
        if (status == 408 && lines.size() > 1) return halve(lines);  // the network is slow
      }
      if (broken >= 10 && lines.size() > 1) return halve(lines);  // one of them may be what fails
      if (broken >= 120 && lines.size() == 1)  // after an hour or more
        return refuse(lines[0], problem || status == 200 ? answer : quote(answer)), true;
    }
    return true;
  }
  bool halve(const std::vector<std::string>& lines) {
    most_ = lines.size() / 2;
    const auto half = lines.begin() + static_cast<std::ptrdiff_t>(most_);
    return deliver({lines.begin(), half}) && deliver({half, lines.end()});
  }
  void settle(const std::string& line, const std::string& answer, std::vector<std::string>& again, std::string& error) {
    const auto at = answer.find(R"("status":)");  // in a text it would be \"status\":
    const long status = at == std::string::npos ? 500 : std::strtol(answer.c_str() + at + 9, nullptr, 10);
    if (status == 201) {
      std::lock_guard<std::mutex> hold(mutex_);
      sent_++;
    } else if (status >= 500 || status == 408 || status == 425 || status == 429) {
      again.push_back(line);
      error = answer;
    } else {
      refuse(line, answer);
      const auto observed = line.find(R"(,"observation":{)");
      const bool alone = answer.find(R"("loc":["body","observation")") != std::string::npos ||
                         answer.find(R"("loc":["body","about")") != std::string::npos;
      if (alone && observed != std::string::npos) {  // the rest is good
        auto plain = line.substr(0, observed) + "}";
        again.push_back(plain.insert(plain.find('"', 8), "-plain"));
      }
    }
  }
  void refuse(const std::string& line, std::string answer) {
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    const auto file = queue_.path() / "refused.jsonl";
    std::error_code failed;
    if (const auto size = std::filesystem::file_size(file, failed); !failed && size + line.size() > 16u << 20)
      std::filesystem::rename(file, queue_.path() / "refused.old.jsonl", failed);
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made);
    std::ofstream(file, std::ios::app) << R"({"answer":)" << answer << R"(,"line":)" << line << "}\n";
    std::lock_guard<std::mutex> hold(mutex_);
    refused_++;
    reason_ = answer;
  }
  void set_error(const std::string& error) {
    std::lock_guard<std::mutex> hold(mutex_);
    error_ = error;
  }
  void retry(const std::string& error, double least) {
    set_error(error);
    const double most = std::min(60.0, 0.1 * std::pow(2, std::min(failures_++, 10)));
    wait(least + std::uniform_real_distribution<double>(0, most)(jitter_));
  }
  // Waits, and syncs meanwhile.
  void wait(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!stop_ && std::chrono::steady_clock::now() < end) {
      std::unique_lock<std::mutex> hold(mutex_);
      wake_.wait_for(hold, std::chrono::milliseconds(200));
      hold.unlock();
      report();
      queue_.sync();
    }
  }
  static std::size_t take(char* data, std::size_t, std::size_t n, std::string* to) {
    to->append(data, n);
    return n;
  }
  static int goes_on(Client* client, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {  // while it waits
    client->queue_.sync();
    return client->stop_ ? 1 : 0;
  }
  std::string token() const {
    if (s_.token_file.empty()) return s_.token;
    std::ostringstream text;
    text << std::ifstream(s_.token_file).rdbuf();
    try {
      return trimmed(text.str());
    } catch (const std::runtime_error&) {
      return "";  // the service answers 401, and it is read again
    }
  }
  long post(const std::string& body, std::string& answer, std::string& type, double& wanted) {
    curl_easy_reset(curl_);
    curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/x-ndjson");
    if (const auto known = token(); !known.empty())
      headers = curl_slist_append(headers, ("Authorization: Bearer " + known).c_str());
    auto url = s_.url;
    while (!url.empty() && url.back() == '/') url.pop_back();
    curl_easy_setopt(curl_, CURLOPT_URL, (url + "/batch").c_str());
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT, 60L);
    curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT, 10L);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &answer);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Client::take);
    curl_easy_setopt(curl_, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl_, CURLOPT_XFERINFODATA, this);
    curl_easy_setopt(curl_, CURLOPT_XFERINFOFUNCTION, &Client::goes_on);
    const CURLcode code = curl_easy_perform(curl_);
    curl_slist_free_all(headers);
    if (code != CURLE_OK) return answer = curl_easy_strerror(code), code == CURLE_OPERATION_TIMEDOUT ? 408 : 0;
    long status = 0;
    char* kind = nullptr;
    curl_off_t after = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl_, CURLINFO_CONTENT_TYPE, &kind);
    curl_easy_getinfo(curl_, CURLINFO_RETRY_AFTER, &after);
    type = kind ? kind : "";
    wanted = static_cast<double>(std::min<curl_off_t>(after, 600));
    return status;
  }

  const Settings s_;
  std::string boot_, robot_, own_;
  std::atomic<std::uint64_t> number_{0}, lost_{0};
  std::mutex mutex_;  // guards what follows
  std::condition_variable& wake_ = *new std::condition_variable, &progress_ = *new std::condition_variable;
  std::uint64_t sent_ = 0, dropped_ = 0, refused_ = 0, told_ = 0;  // of the refused, those of which an incident told
  std::string error_, reason_;
  struct Known {
    std::string members;
    bool lost = false;  // it may be
  };
  std::map<std::string, Known> known_;  // people and models that were logged, by IRI
  std::chrono::steady_clock::time_point last_told_;
  const pid_t pid_ = ::getpid();
  std::atomic<bool> stop_{false};
  int failures_ = 0;         // of the thread
  std::size_t most_ = 200;  // lines at once
  std::mt19937 jitter_{std::random_device{}()};
  CURL* curl_ = nullptr;
  Queue& queue_;
  std::thread& thread_ = *new std::thread;
};

}  // namespace segraph
