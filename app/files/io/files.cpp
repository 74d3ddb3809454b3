#include "app/files/io/files.hpp"

#include <chrono>
#include <utility>

#include "app/files/file_kinds.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr double worth_telling = 0.2;              // seconds from which on progress is shown
constexpr std::size_t large_picture = 16'000'000;  // pixels: larger ones are written in the background

/// "12.0 KiB · 2026-11-22 16:04"
std::string facts_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  const auto time = written_at(file);
  if (missing || !time) return {};
  const auto since_1970 = std::chrono::file_clock::to_sys(*time).time_since_epoch();
  return bytes(static_cast<std::int64_t>(size)) + " · " +
         day_and_time(std::chrono::duration_cast<std::chrono::seconds>(since_1970).count());
}

bool is_example(const fs::path& path, const fs::path& assets) {
  std::error_code missing;
  return fs::equivalent(path.parent_path(), assets / "examples", missing);
}

}  // namespace

Files::Files(fs::path assets, fs::path state)
    : assets_(std::move(assets)), state_(std::move(state)), recent_(state_), closed_(state_) {}

void Files::keep() {
  if (!state_.empty()) keeper_.emplace(state_);
}

bool Files::is_own_document(const fs::path& path) const {
  return lower_extension(path) == ".json" && !is_example(path, assets_);
}

void Files::remember(const fs::path& path) {
  if (!is_example(path, assets_)) recent_.add(path);
}

std::optional<OverwriteQuestion> Files::question_before(const fs::path& to, const OwnFile& own) const {
  std::error_code unknown;
  if (!fs::is_regular_file(to, unknown)) return std::nullopt;
  const bool is_own = !own.path().empty() && fs::equivalent(to, own.path(), unknown);
  if (is_own && written_at(to) == own.time()) return std::nullopt;
  OverwriteQuestion question;
  question.path = to;
  question.facts = facts_of(to);
  question.changed_since = is_own;
  return question;
}

void Files::begin_to_open(const fs::path& path, std::string_view layer, const ViewState& now,
                          std::string shown) {
  opening_shown_ = shown.empty() ? own(printable(path.filename().native())) : std::move(shown);
  opening_ = std::make_unique<Opening>(path, layer, now);
}

std::optional<FileOnItsWay> Files::on_its_way() const {
  if (!opening_ || opening_->seconds() <= worth_telling) return std::nullopt;
  return FileOnItsWay{opening_shown_, opening_->share()};
}

std::unique_ptr<Opening> Files::read_soon() {
  return opening_ && opening_->is_soon_ready() ? std::move(opening_) : nullptr;
}

std::unique_ptr<Opening> Files::opened(bool wait) {
  return opening_ && (wait || opening_->is_ready()) ? std::move(opening_) : nullptr;
}

bool Files::is_large(const DrawnPicture& picture) { return picture.pixels.pixels.size() >= large_picture; }

void Files::write(DrawnPicture picture) {
  const bool behind = is_large(picture);
  writing_ = std::make_shared<Task<std::string>>(
      [picture = std::move(picture)](const std::stop_token&, NoProgress&) {
        write_picture(picture);
        return "Saved the picture as " + in_quotes(picture.path.native()) + ".";
      });
  if (behind)
    writer_.add(writing_);
  else
    writing_->step();
}

std::shared_ptr<Task<std::string>> Files::written(bool wait) {
  if (wait) writer_.wait();
  return writing_ && writing_->is_done() ? std::exchange(writing_, nullptr) : nullptr;
}

void Files::begin_export(ModelReadingPtr reading, const ModelExported& what, const fs::path& to,
                         const SharedPool& pool) {
  export_ = std::make_unique<ModelExport>(std::move(reading), what, to, pool);
}

void Files::stop_export() {
  if (export_) export_->cancel();
}

std::optional<FileOnItsWay> Files::export_on_its_way() const {
  if (!export_ || export_->is_done() || export_->seconds() <= worth_telling) return std::nullopt;
  return FileOnItsWay{own(printable(export_->path().filename().native())), export_->share()};
}

std::unique_ptr<ModelExport> Files::exported(bool wait) {
  if (export_ && wait) export_->wait();
  return export_ && export_->is_done() ? std::move(export_) : nullptr;
}

void Files::look_for_models(bool on_disk) {
  if (looking_) return;
  ModelRoots roots;
  if (on_disk) roots = model_roots([](const char* name) { return std::getenv(name); });
  std::error_code unknown;
  roots.shipped = std::filesystem::absolute(assets_ / "models", unknown);
  looking_ = std::make_shared<Task<std::vector<ModelPlace>>>(
      [roots](const std::stop_token& stop, NoProgress&) { return find_models(roots, {}, stop); });
  looker_.add(looking_);
}

std::optional<std::vector<ModelPlace>> Files::found_models() {
  if (!looking_ || !looking_->is_done()) return std::nullopt;
  const auto done = std::exchange(looking_, nullptr);
  return done->result() ? std::optional(done->take()) : std::nullopt;
}

}  // namespace attnscope
