#include "core/watch/watch_header.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace format = watch_format;
using nlohmann::json;

std::uint64_t header_number(std::span<const std::byte> bytes, format::Field at) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

[[noreturn]] void refuse_header(const std::string& file, std::string_view field, const std::string& found) {
  throw Error(fmt::format("{}: {} of the header {}.", in_quotes(file), field, found));
}

/// Reads one fact; leaves `into` unchanged if it is missing.
void take_fact(const json& facts, const char* name, const std::string& file, std::string& into) {
  const auto found = facts.find(name);
  if (found == facts.end() || found->is_null()) return;
  if (!found->is_string())
    refuse_header(file, "the facts", fmt::format("have a \"{}\" that is no text", name));
  into = found->get<std::string>();
}

void take_fact(const json& facts, const char* name, const std::string& file, std::int64_t& into) {
  const auto found = facts.find(name);
  if (found == facts.end() || found->is_null()) return;
  constexpr std::int64_t most = 1 << 30;
  if (!found->is_number_integer() || *found < 0 || *found > most)
    refuse_header(file, "the facts",
                  fmt::format("have \"{}\" = {}, expected 0 to {}", name, found->dump(), most));
  into = found->get<std::int64_t>();
}

StreamFacts read_facts(std::string_view text, const std::string& file) {
  StreamFacts facts;
  if (text.empty()) return facts;
  const json all = parse_strict_json(text, file + ", facts");
  if (!all.is_object()) refuse_header(file, "the facts", "are no JSON object");
  take_fact(all, "module", file, facts.module);
  take_fact(all, "dtype", file, facts.dtype);
  take_fact(all, "device", file, facts.device);
  take_fact(all, "attention", file, facts.attention);
  take_fact(all, "python", file, facts.python);
  take_fact(all, "torch", file, facts.torch);
  take_fact(all, "name_or_path", file, facts.name_or_path);
  take_fact(all, "model_type", file, facts.model_type);
  take_fact(all, "layers", file, facts.layers);
  take_fact(all, "heads", file, facts.heads);
  take_fact(all, "kv_heads", file, facts.kv_heads);
  take_fact(all, "d_k", file, facts.d_k);
  take_fact(all, "vocabulary", file, facts.vocabulary);
  const auto names = all.find("names");
  if (names == all.end() || names->is_null()) return facts;
  if (!names->is_array()) refuse_header(file, "the facts", "have \"names\" that are no list");
  for (const json& name : *names) {
    if (!name.is_string()) refuse_header(file, "the facts", "have a name that is no text");
    facts.names.push_back(name.get<std::string>());
  }
  return facts;
}

}  // namespace

WatchHeader read_watch_header(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.size() < format::header_bytes)
    refuse_header(file, "all", fmt::format("has {} bytes, expected {}", bytes.size(), format::header_bytes));
  if (std::memcmp(bytes.data(), format::magic.data(), format::magic.size()) != 0)
    throw Error(in_quotes(file) + " is no stream of a watched process: it does not begin with ATTNWTCH.");
  const std::uint64_t version = header_number(bytes, format::Version);
  if (version != format::version)
    refuse_header(file, "the version",
                  fmt::format("is {}, expected {}: Python and window are of different "
                              "releases",
                              version, format::version));
  WatchHeader header;
  header.capacity = header_number(bytes, format::Capacity);
  if (header.capacity % format::alignment != 0 || header.capacity < format::least_capacity ||
      header.capacity > format::most_capacity)
    refuse_header(file, "the capacity",
                  fmt::format("is {}, expected a multiple of 64 from {} to {}", header.capacity,
                              format::least_capacity, format::most_capacity));
  header.process.pid = header_number(bytes, format::Pid);
  header.process.start_time = header_number(bytes, format::StartTime);
  if (header.process.pid == 0 || header.process.pid > INT_MAX)
    refuse_header(file, "the process", fmt::format("is {}, expected 1 to {}", header.process.pid, INT_MAX));
  header.closed = header_number(bytes, format::Closed) != 0;
  const std::uint64_t length = header_number(bytes, format::FactsBytes);
  if (length > format::most_facts_bytes)
    refuse_header(file, "the length of the facts",
                  fmt::format("is {}, expected at most {}", length, format::most_facts_bytes));
  header.facts = read_facts(
      {reinterpret_cast<const char*>(bytes.data()) + format::Facts, static_cast<std::size_t>(length)}, file);
  return header;
}

Descriptor open_watch_file(const std::filesystem::path& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file && errno == ELOOP)
    throw Error(in_quotes(path.native()) + " is a link, expected a stream file itself.");
  if (!file) throw system_error("open", path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("open", path);
  if (!S_ISREG(status.st_mode))
    throw Error(in_quotes(path.native()) + " is no regular file, expected a stream.");
  if (status.st_uid != ::geteuid())
    throw Error(in_quotes(path.native()) + " belongs to another user: a stream is for its own user alone.");
  if (static_cast<std::uint64_t>(status.st_size) < format::header_bytes)
    throw Error(fmt::format("{} has {} bytes, expected a header of {} at least.", in_quotes(path.native()),
                            status.st_size, format::header_bytes));
  return file;
}

bool StreamProcess::is_alive() const {
  if (pid == 0 || pid > INT_MAX) return false;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return false;
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
  // The program's name is in parentheses and may contain any characters: field 3 follows the last one.
  const std::size_t end = line.rfind(')');
  if (end == std::string::npos) return true;
  std::istringstream fields(line.substr(end + 1));
  const std::vector<std::string> rest{std::istream_iterator<std::string>(fields), {}};
  constexpr std::size_t state = 0, started = 22 - 3;
  if (rest.size() <= started) return true;
  if (rest[state] == "Z" || rest[state] == "X")
    return false;  // a zombie: ended, but its parent has not waited for it
  return start_time == 0 || rest[started] == std::to_string(start_time);
}

}  // namespace attnscope
