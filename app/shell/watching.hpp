// app/shell: the Watch page: when a process is looked at, what of it becomes a Document, and which model is
// opened beside it.
#pragma once

#include <filesystem>
#include <memory>

#include "app/files/io/arriving.hpp"
#include "app/watch/join.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class Watcher;

class Watching {
 public:
  Watching(Workspace&, Files&, Arriving&);
  ~Watching();
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  /// Once a frame.
  void follow();
  /// A stream is no Document: it is watched, and true is returned. While a process lives that was chosen in
  /// the list, another one that calls watch() is added to the list.
  bool take_stream(const std::filesystem::path& path);
  /// The layer of the chosen head becomes the Document, as it is now. Undo goes back to the page, and so does
  /// Model.
  void open_layer();
  /// The chosen one of the models that have the shapes of the stream, to be opened; null where there is none.
  std::shared_ptr<const WatchJoin> chosen_model();

  /// A model that is opened beside a stream reads what its process has read, and the layer is looked at that
  /// was looked at there.
  void read_as_watched(Session&) const;
  /// It has run: head and cell are those that were looked at in the stream.
  void look_as_watched();
  bool is_settled() const;

 private:
  Workspace& space_;
  Files& files_;
  Arriving& arriving_;
  std::unique_ptr<Watcher> watcher_;  // made when the page is first shown
};

}  // namespace attnscope
