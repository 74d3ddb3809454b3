// app/files/io: a model that was opened runs before it takes the place of what is shown. A session whose
// model has moved waits until that is opened.
#pragma once

#include <filesystem>
#include <optional>

#include "app/files/io/arriving.hpp"
#include "app/files/io/files_calls.hpp"

namespace attnscope {

/// A session in a model that was opened and has not been run yet.
struct ModelArrival {
  Session session;
  std::filesystem::path path;
  CameFrom from = CameFrom::File;
  bool of_lesson = false;  // a step of the lesson that is open: it is shown in the lesson
};

/// The text whose rows something is predicted of.
const std::string& predicted_text(const ModelText& input);

class ModelArriving {
 public:
  ModelArriving(Workspace& space, Files& files, Held& held, Keeping& keeping, Arriving& arriving,
                const OpeningCalls& calls)
      : space_(space), files_(files), held_(held), keeping_(keeping), arriving_(arriving), calls_(calls) {}

  /// Runs it, or waits until its model is opened.
  void await(ModelArrival arrival);
  /// It is shown as soon as it has run; nothing is asked of it that await() asks.
  void begin(ModelArrival arrival);
  const std::optional<ModelArrival>& arrival() const { return arrival_; }
  bool is_settled() const { return !arrival_.has_value(); }
  /// It has run: it is on screen from here on, or what was there stays and it is said why.
  void take(const ModelReading& newest);
  /// What runs is not waited for any more; the model on screen goes on.
  void stop();
  /// The same, and nothing is put in its place.
  void forget() { arrival_.reset(); }

 private:
  void keep_text(Session& session) const;
  void take_model(ModelArrival arrival);

  Workspace& space_;
  Files& files_;
  Held& held_;
  Keeping& keeping_;
  Arriving& arriving_;
  const OpeningCalls& calls_;
  std::optional<ModelArrival> arrival_;
  std::optional<ModelArrival> asks_for_model_;  // a session whose model has moved: until it is opened
};

}  // namespace attnscope
