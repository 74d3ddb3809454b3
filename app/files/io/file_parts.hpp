// app/files/io: all parts that deal with files, from background work to what a file becomes on screen.
#pragma once

#include "app/files/io/arriving.hpp"
#include "app/files/io/files.hpp"
#include "app/files/io/files_calls.hpp"
#include "app/files/io/keeping.hpp"
#include "app/files/io/model_arriving.hpp"
#include "app/files/io/opening_files.hpp"
#include "app/files/io/saving.hpp"

namespace attnscope {

struct FileParts {
  /// `fresh`: begins as in the first run.
  FileParts(Workspace& space, Held& held, bool fresh, OpeningCalls opening_calls_, SavingCalls saving_calls_)
      : opening_calls(std::move(opening_calls_)),
        saving_calls(std::move(saving_calls_)),
        behind(space.assets, space.state),
        keeping(space, behind, held, fresh),
        arriving(space, held, keeping),
        models(space, behind, held, keeping, arriving, opening_calls),
        opening(space, behind, keeping, arriving, models, opening_calls),
        saving(space, behind, held, keeping, saving_calls) {}
  FileParts(const FileParts&) = delete;
  FileParts& operator=(const FileParts&) = delete;

  bool is_settled() const { return behind.is_settled() && models.is_settled() && opening.is_settled(); }

  const OpeningCalls opening_calls;
  const SavingCalls saving_calls;
  Files behind;  // the window
  Keeping keeping;
  Arriving arriving;
  ModelArriving models;
  OpeningFiles opening;
  Saving saving;
};

}  // namespace attnscope
