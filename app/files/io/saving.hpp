// app/files/io: what goes out to files from the window: the session, numbers, pictures and pages. Nothing is
// written over unasked.
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

  /// Writes the session as it is now, atomically; ".json" is added where the name has no ending. An empty
  /// path means the file it was last saved to, or opened from when that was a document of the person's own.
  /// Other endings export what is on screen: numbers, see export.hpp, or the window as a picture. Success and
  /// failure are said in a message; nothing is lost: before another file is written over, a card asks,
  /// unless `replace` says that it has.
  void save(const std::filesystem::path& path, bool replace = false);
  /// Saves a picture of the window or of one region, drawn anew at its own size; the window stays as it is. A
  /// large one is written behind the scenes: Files is not settled meanwhile.
  void save_picture(const PictureRequest&, bool replace = false);
  /// Writes it, and waits for it where it is small.
  void write(DrawnPicture picture);
  /// Tells what became of a picture that was written behind the scenes, or waits for it first.
  void finish_picture(bool wait);
  /// Tells what became of what was made of a model for a file, or waits for it first; tells how far it is.
  void finish_export(bool wait);

  /// What is on screen, the given layers or steps of the lesson as one HTML file that carries its session,
  /// made on any thread; models are named from `to`'s folder. Throws Error for what cannot be shown so.
  std::shared_ptr<HtmlJob> html_job(const std::filesystem::path& to,
                                    std::shared_ptr<const HtmlPage> layers = {}) const;
  std::shared_ptr<HtmlJob> html_lesson_job(std::vector<HtmlLessonStep>, const std::filesystem::path&) const;
  /// A file that takes a moment is made behind the window, which says how far it is and stops it.
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
