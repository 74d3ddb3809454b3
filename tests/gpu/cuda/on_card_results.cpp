#include "gpu/cuda/on_card_results.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope::on_card {

namespace {

/// A number, and what it is compared with.
struct Row {
  std::string what, number, against;  // names of lines; `against` empty: the number itself
  double limit;
  bool at_most;
};

class Table {
 public:
  explicit Table(const std::string& folder) {
    std::ifstream file(folder + "/measured.tsv", std::ios::binary);
    if (!file) throw Error("There is no " + folder + "/measured.tsv: nothing was measured.");
    for (std::string line; std::getline(file, line);)
      if (!file.eof()) read(line);  // the last one ends in a newline, or was cut off
  }

  std::string text() const {
    std::string all;
    for (const std::string& name : names_)
      all += fmt::format("{:<64} {:>12} {}\n", name, lines_.at(name).first, lines_.at(name).second);
    all += fmt::format("\n| {:<58} | {:>10} | {:>10} | {:<9} | {} |\n|---|---:|---:|---|---|\n", "what",
                       "measured", "against", "target", "");
    for (const Row& row : rows()) all += text_of(row);
    all +=
        "\nMedians. Times are the card's own (events); \"wall\" is the clock of the computer around the "
        "same; "
        "updates include the copy of all results to the host.\n";
    for (const std::string& note : notes_) all += note + "\n";
    return all;
  }

 private:
  void read(const std::string& line) {
    std::vector<std::string> parts;
    std::istringstream words(line);
    for (std::string part; std::getline(words, part, '\t');) parts.push_back(part);
    parts.resize(3);
    for (const char* kind : {"FAILED", "SKIPPED", "CUT", "NOTE"})
      if (parts[0] == kind) {
        notes_.push_back(fmt::format("{} {}: {}", kind, parts[1], parts[2]));
        return;
      }
    if (!lines_.contains(parts[0])) names_.push_back(parts[0]);
    lines_[parts[0]] = {parts[1], parts[2]};
  }

  std::optional<double> number(const std::string& name) const {
    const auto found = lines_.find(name);
    if (found == lines_.end()) return {};
    char* end = nullptr;
    const double value = std::strtod(found->second.first.c_str(), &end);
    if (end == found->second.first.c_str()) return {};
    return value;
  }

  static std::vector<Row> rows() {
    std::vector<Row> all;
    for (const int n : {4096, 8192, 16384, 32768})
      for (const char* mask : {"full", "causal"})
        for (const int d : {128, 64}) {
          const std::string size = fmt::format("d={} n={} {}", d, n, mask);
          if (d == 128 && std::string(mask) == "full")
            all.push_back({"share of cuBLAS, pass 1 bf16 " + size, "rate pass 1 bf16 " + size,
                           "rate cublas bf16", 0.35, false});
          if (n == 4096 || n == 16384) {
            if (d == 128 && std::string(mask) == "full")
              all.push_back({"share of cuBLAS, warpgroups " + size, "rate pass 1 groups " + size,
                             "rate cublas bf16", 0.5, false});
            all.push_back({"times flash, warpgroups " + size, "pass 1 groups " + size, "flash bf16 " + size,
                           1.0, true});
          }
          all.push_back(
              {"times flash, bf16 " + size, "pass 1 bf16 " + size, "flash bf16 " + size, 1.4, true});
          all.push_back(
              {"times cuDNN, bf16 " + size, "pass 1 bf16 " + size, "cudnn bf16 " + size, 1.4, true});
          if (std::string(mask) != "full") continue;
          all.push_back({"picture on/off, bf16 " + size, "picture on/off bf16 " + size, "", 1.10, true});
          all.push_back({"entropy on/off, bf16 " + size, "entropy on/off bf16 " + size, "", 1.08, true});
        }
    for (const int n : {1024, 4096, 16384})
      for (const char* mask : {"full", "causal"}) {
        const std::string size = fmt::format("d=64 n={} {}", n, mask);
        all.push_back(
            {"times PyTorch's fp32, fp32 " + size, "pass 1 fp32 " + size, "fused fp32 " + size, 1.0, true});
      }
    for (const auto& [n, factor] : {std::pair(4096, 5.0), {16384, 10.0}})
      for (const char* type : {"fp32", "bf16"})
        all.push_back({fmt::format("eager {} / everything, n={}", type, n),
                       fmt::format("eager {} n={}", type, n),
                       fmt::format("update {} n={} full wall", type, n), factor, false});
    all.push_back({"update with one picture there, ms, n=1024", "update n=1024 full wall", "", 2, true});
    all.push_back({"update with one picture there, MB, n=1024", "update n=1024 full crossed", "", 8, true});
    all.push_back(
        {"update with one picture there, MB, n=16384", "update n=16384 full crossed", "", 16, true});
    all.push_back(
        {"update with all copies, ms, n=16384", "update n=16384 full everything read wall", "", 16, true});
    all.push_back({"all rows, ms, n=131072", "update n=131072 full rows only wall", "", 500, true});
    all.push_back({"stale work aborted, ms, n=131072", "abort, the slowest, n=131072", "", 5, true});
    all.push_back(
        {"memory beyond Q, K, V, O, GB, n=131072", "memory beyond Q, K, V and O, n=131072", "", 1, true});
    return all;
  }

  std::string text_of(const Row& row) const {
    const std::optional<double> ours = number(row.number);
    const std::optional<double> theirs = row.against.empty() ? std::optional(1.0) : number(row.against);
    const std::string target = fmt::format("{} {}", row.at_most ? "<" : ">", row.limit);
    if (!ours || !theirs)
      return fmt::format("| {:<58} | {:>10} | {:>10} | {:<9} | not measured |\n", row.what, "", "", target);
    const double ratio = *ours / *theirs;
    const bool holds = row.at_most ? ratio <= row.limit : ratio >= row.limit;
    return fmt::format("| {:<58} | {:>10.4g} | {:>10} | {:<9} | {} |\n", row.what, ratio,
                       row.against.empty() ? "" : fmt::format("{:.4g}", *theirs), target,
                       holds ? "holds" : "MISSED");
  }

  std::vector<std::string> names_, notes_;
  std::map<std::string, std::pair<std::string, std::string>> lines_;
};

}  // namespace

void keep_line(const std::string& folder, const std::string& name, const std::string& value,
               const std::string& unit) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string path = folder + "/measured.tsv", line = name + '\t' + value + '\t' + unit + '\n';
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // One write: a line is there whole or not at all, also while another program writes to the file.
  const bool written = file >= 0 &&
                       ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!written) throw Error("A result could not be written to " + path + ".");
}

std::string table_of(const std::string& folder) { return Table(folder).text(); }

}  // namespace attnscope::on_card
