#include "app/files/file_kinds.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t longest_name = 60;  // bytes of a suggested name; longer ones are allowed

template <std::size_t N>
bool is_one_of(std::string_view ending, const std::array<std::string_view, N>& all) {
  return std::find(all.begin(), all.end(), ending) != all.end();
}

/// Extensions of files that are not texts, whatever their size.
constexpr auto other_endings = std::to_array<std::string_view>(
    {".a",    ".avi",  ".bin", ".bmp",  ".bz2",   ".class", ".db",     ".deb",  ".dll",  ".doc",
     ".docx", ".exe",  ".gif", ".gz",   ".h5",    ".ico",   ".iso",    ".jar",  ".jpeg", ".jpg",
     ".mkv",  ".mov",  ".mp3", ".mp4",  ".o",     ".odt",   ".ogg",    ".onnx", ".otf",  ".pdf",
     ".pkl",  ".pt",   ".pth", ".pyc",  ".rpm",   ".so",    ".sqlite", ".tar",  ".tgz",  ".tiff",
     ".ttf",  ".wasm", ".wav", ".webp", ".woff2", ".xlsx",  ".xz",     ".zip",  ".zst"});

}  // namespace

FileKind kind_of(const FolderEntry& entry) {
  const std::string ending = lower_extension(entry.name);
  if (ending == ".json") return FileKind::Session;
  if (ending == ".safetensors" || ending == ".npy" || ending == ".npz") return FileKind::Tensors;
  if (ending == ".gguf") return FileKind::Model;
  if (ending == ".png" || ending == ".svg") return FileKind::Picture;
  if (ending == ".csv") return FileKind::Table;
  if (ending == ".html") return FileKind::Text;  // an HTML page of this program, of any size, or a text
  if (entry.bytes > max_text_bytes || is_one_of(ending, other_endings)) return FileKind::Other;
  return FileKind::Text;
}

bool can_be_opened(FileKind kind) { return kind <= FileKind::Text; }

bool is_hidden(const FolderEntry& entry) { return entry.name.starts_with('.'); }

bool is_photo(const std::filesystem::path& path) {
  const std::string ending = lower_extension(path);
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::string suggested_name(std::string_view title, std::string_view ending) {
  std::string name;
  for (const char c : plain(title)) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    name += is_control ? ' ' : c == '/' || c == '\\' || c == ':' ? '-' : c;
  }
  for (const std::string_view known : {".json", ".safetensors", ".npy", ".npz", ".txt", ".md"})
    if (name.size() > known.size() && name.ends_with(known)) name.erase(name.size() - known.size());
  const std::size_t first = name.find_first_not_of(" .~"), last = name.find_last_not_of(" .");
  name = first == std::string::npos ? "" : name.substr(first, last - first + 1);
  if (name.size() > longest_name) {
    name.resize(longest_name);
    if (const auto cut = first_invalid_utf8(name)) name.resize(*cut);  // the cut may have split a character
    if (const std::size_t word = name.rfind(' '); word != std::string::npos && word > longest_name / 2)
      name.resize(word);
  }
  return (name.empty() ? "untitled" : name) + std::string(ending);
}

PrintFile print_file(LessonPrint print) {
  constexpr std::array<PrintFile, 6> all{{{"", ""},
                                          {"worksheet", ".html"},
                                          {"instructor", ".html"},
                                          {"quiz", ".csv"},
                                          {"quiz", ".txt"},
                                          {"quiz", ".zip"}}};
  return all[static_cast<std::size_t>(print)];
}

std::string day_and_time(std::int64_t seconds) {
  const auto moment = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (seconds == 0 || ::localtime_r(&moment, &parts) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

}  // namespace attnscope
