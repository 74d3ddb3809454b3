// app/files/io: an opened model runs before it replaces what is shown. A session whose model has moved waits
// until that model is opened.
#pragma once

#include <filesystem>
#include <optional>

#include "app/files/io/arriving.hpp"
#include "app/files/io/files_calls.hpp"

namespace attnscope {

/// A session in an opened model that has not run yet.
struct ModelArrival {
  Session session;
  std::filesystem::path path;
  CameFrom from = CameFrom::File;
  bool of_lesson = false;  // a step of the open lesson: it is shown in the lesson
};

/// The text for whose tokens the model predicts.
const std::string& predicted_text(const ModelText& input);

class ModelArriving {
 public:
  ModelArriving(Workspace& space, Files& files, Held& held, Keeping& keeping, Arriving& arriving,
                const OpeningCalls& calls)
      : space_(space), files_(files), held_(held), keeping_(keeping), arriving_(arriving), calls_(calls) {}

  /// Runs its model, or waits until the model is opened.
  void await(ModelArrival arrival);
  /// Runs its model without await()'s checks and shows it as soon as it has run.
  void begin(ModelArrival arrival);
  const std::optional<ModelArrival>& arrival() const { return arrival_; }
  bool is_settled() const { return !arrival_.has_value(); }
  /// Its model has run: shows it, or keeps what was shown and says why.
  void take(const ModelReading& newest);
  /// Drops the arrival; the model on screen runs again.
  void stop();
  /// Drops the arrival and submits nothing.
  void forget() { arrival_.reset(); }

 private:
  void keep_text(Session& session) const;
  void open_on_best_head(ModelArrival& arrival) const;
  void take_model(ModelArrival arrival);

  Workspace& space_;
  Files& files_;
  Held& held_;
  Keeping& keeping_;
  Arriving& arriving_;
  const OpeningCalls& calls_;
  std::optional<ModelArrival> arrival_;
  std::optional<ModelArrival> asks_for_model_;  // its model has moved: waits until that is opened
};

}  // namespace attnscope
