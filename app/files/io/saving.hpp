// app/files/io: writes files: the session, numbers, pictures and pages. Nothing is overwritten without
// asking.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/exports/html/html_job.hpp"
#include "app/files/io/files_calls.hpp"
#include "app/files/io/keeping.hpp"

namespace attnscope {

struct HtmlPage;

class Saving {
 public:
  Saving(Workspace& space, Files& files, const Held& held, Keeping& keeping, const SavingCalls& calls)
      : space_(space), files_(files), held_(held), keeping_(keeping), calls_(calls) {}

  /// Writes the session atomically; ".json" is added to a name without an extension. An empty path means the
  /// file it was last saved to, or opened from if that was the user's own document. Other extensions export
  /// what is on screen: numbers, see export.hpp, or the window as a picture. A message reports success or
  /// failure. A card asks before another file is overwritten, unless `replace`: it has been asked.
  void save(const std::filesystem::path& path, bool replace = false);
  /// Saves a picture of the window or of one region, drawn anew at its own size; the window stays as it is. A
  /// large one is written in the background: Files is not settled meanwhile.
  void save_picture(const PictureRequest&, bool replace = false);
  /// Writes a picture; a small one at once, a large one in the background.
  void write(DrawnPicture picture);
  /// Reports a picture that was written in the background; `wait`: waits for it first.
  void finish_picture(bool wait);
  /// Reports a finished export of a model; `wait`: waits for it first. Updates the progress of a running one.
  void finish_export(bool wait);

  /// A job that makes one HTML file with its session of what is on screen, of the given layers, or of the
  /// lesson's steps; it may run on any thread. Paths of models begin at `to`'s folder. Throws Error for what
  /// HTML cannot show.
  std::shared_ptr<HtmlJob> html_job(const std::filesystem::path& to,
                                    std::shared_ptr<const HtmlPage> layers = {}) const;
  std::shared_ptr<HtmlJob> html_lesson_job(std::vector<HtmlLessonStep>, const std::filesystem::path&) const;
  /// Makes a print of the lesson on screen, in the background: it is played again for its numbers. Throws
  /// Error without a lesson, and for a name with another extension.
  void begin_print(const PictureRequest&);
  /// Makes the file in the background; the window shows its progress and can stop it.
  void begin_html(std::shared_ptr<HtmlJob>, const std::filesystem::path& to);

 private:
  bool may_write(const std::filesystem::path& to, bool replace, const PictureRequest* picture);
  bool export_to(const std::filesystem::path& to);
  void save_html(PictureRequest request);
  std::string session_for_page(const std::filesystem::path& to) const;

  Workspace& space_;
  Files& files_;
  const Held& held_;
  Keeping& keeping_;
  const SavingCalls& calls_;
};

}  // namespace attnscope
