// core/engine: the engine of Documents: what is shown, and what is held beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/engine/engine.hpp"
#include "core/engine/pipeline.hpp"

namespace attnscope {

/// A Document whose computation is cancelled is published as an error "Cancelled"; a long one that is being
/// refined keeps the rows known so far, and nothing is said.
class LiveEngine final : public Engine<Document, Result> {
 public:
  /// When the backend fails, `stand_in` computes this Document and all later ones, with the reason in
  /// Result::backend_note; if it fails, too, the Document is at fault and the result is an error. Null: a
  /// failure is an error.
  explicit LiveEngine(std::shared_ptr<Backend> backend, std::function<void()> on_publish = {},
                      std::shared_ptr<Backend> stand_in = {});

  /// Switches to this backend. Running work is stopped at once; the newest shown Document is computed again
  /// from its first stage on, and so is a held one that is not finished; earlier results are kept until then.
  /// Returns the new ticket of the shown Document, or 0 if there is none or the backend is already in use.
  std::uint64_t use(std::shared_ptr<Backend> backend);
  /// The backend for the next Document: that of use(), or the stand-in after it took over.
  std::shared_ptr<Backend> backend() const;

  /// Limits the refinement of a long shown Document to every step-th query. 1, the default: all queries.
  void refine_to(std::int64_t step);
  const Progress& progress() const;

 private:
  struct Chosen;
  class Layers;
  LiveEngine(std::shared_ptr<Chosen> chosen, std::function<void()> on_publish);

  std::shared_ptr<Chosen> chosen_;
};

}  // namespace attnscope
