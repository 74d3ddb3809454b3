// app/shell: the Watch page: when a process is watched, which layer of it becomes a Document, and which model
// is opened beside it.
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
  /// Watches the path if it is a stream, and then returns true. While a process that was chosen in the list
  /// is alive, another one that calls watch() is only added to the list.
  bool take_stream(const std::filesystem::path& path);
  /// Makes the layer of the chosen head, as it is now, the Document. Undo and the mode Model go back to the
  /// page.
  void open_layer();
  /// The chosen one of the models that have the shapes of the stream, to be opened; null if there is none.
  std::shared_ptr<const WatchJoin> chosen_model();

  /// Gives a model that is opened beside a stream the tokens that its process has read, and the layer shown
  /// there.
  void read_as_watched(Session&) const;
  /// Called when that model has run: shows the head and cell that were shown in the stream.
  void look_as_watched();
  bool is_settled() const;

 private:
  Workspace& space_;
  Files& files_;
  Arriving& arriving_;
  std::unique_ptr<Watcher> watcher_;  // made when the page is first shown
};

}  // namespace attnscope
