// From calls to passes and texts: shown passes are complete, and lost data is sent again.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/watch/watched_text.hpp"
#include "support/temporary_directory.hpp"
#include "support/watched_model.hpp"

namespace attnscope::watch_text_test {

using attnscope::test::as_read;
using attnscope::test::is_sentence;
using attnscope::test::ModelLayer;
using attnscope::test::ModelPass;
using attnscope::test::WatchedModel;
using attnscope::test::WatchRecordBytes;
using Catch::Matchers::ContainsSubstring;

namespace {

WatchedModel decoder(std::uint64_t seed = 1, std::int64_t batch = 1) {
  return {seed, batch, 24, {ModelLayer{}, ModelLayer{.heads = 6, .kv_heads = 3, .d_k = 4, .d_v = 5}}};
}

/// Whether keys and rows are those of the model, bit by bit.
bool is_of(const WatchedLayer& layer, const ModelLayer& model) {
  const auto same = [](const GrowingRows& rows, std::int64_t row, const Tensor& all, std::int64_t position) {
    const Shape& s = all.shape();
    for (std::int64_t h = 0; h < rows.heads(); ++h)
      for (std::int64_t d = 0; d < s[3]; ++d)
        if (rows.row(h, row)[d] != all.data()[(h * s[2] + position) * s[3] + d]) return false;
    return true;
  };
  for (std::int64_t key = 0; key < layer.keys(); ++key)
    if (!same(layer.key, key, *model.key, key) || !same(layer.value, key, *model.value, key)) return false;
  for (std::int64_t row = 0; row < layer.rows(); ++row)
    if (!same(layer.query, row, *model.query, layer.position(row))) return false;
  return true;
}

std::vector<std::int64_t> positions_of(const WatchedLayer& layer) {
  std::vector<std::int64_t> positions;
  for (std::int64_t row = 0; row < layer.rows(); ++row) {
    positions.push_back(layer.position(row));
    CHECK(layer.row_at(positions.back()) == row);
  }
  return positions;
}

}  // namespace

TEST_CASE("of a batch of which one sequence is sent its number is known, and another one begins anew",
          "[watch]") {
  const WatchedModel model = decoder();
  const auto records_of = [&](const ModelPass& pass, std::int64_t sequence, std::int64_t sequences) {
    std::vector<WatchRecordBytes> records = model.records(pass);
    records.pop_back();
    for (WatchRecordBytes& record : records) {
      record.fields["sequence"] = sequence;
      record.fields["sequences"] = sequences;
    }
    records.push_back(model.records(pass).back());
    return as_read(records);
  };
  WatchedText text;
  CHECK(text.take(records_of({0, 0, 5}, 2, 4)));
  CHECK(text.snapshot()->batch == 1);
  CHECK(text.snapshot()->sequence == 2);
  CHECK(text.snapshot()->sequences == 4);
  CHECK(text.take(records_of({1, 5, 1}, 2, 4)));
  CHECK(text.snapshot()->rows == 6);
  text.take(records_of({2, 0, 4, true}, 1, 2));
  CHECK(text.snapshot()->rows == 4);
  CHECK(text.snapshot()->sequence == 1);
  text.take(as_read(model.records({3, 0, 3, true})));
  CHECK(text.snapshot()->sequences == 1);
  // A sequence number beyond the batch is refused.
  std::vector<WatchRecordBytes> wrong = model.records({4, 0, 3, true});
  wrong[0].fields["sequence"] = 2;
  wrong[0].fields["sequences"] = 2;
  CHECK_THROWS_WITH(as_read(wrong), ContainsSubstring("\"sequence\" is 2 of 2 with 1 sent"));
}

TEST_CASE("a text grows pass by pass as a cache does", "[watch]") {
  const WatchedModel model = decoder(1, 2);
  WatchedText text;
  CHECK(text.snapshot()->text == 0);
  CHECK(text.take(as_read(model.records({0, 0, 5, false, 7})), 1.5));
  const WatchedSnapshotPtr prompt = text.snapshot();
  CHECK(prompt->text == 1);
  CHECK(prompt->prompt == 5);
  CHECK(prompt->rows == 5);
  CHECK(prompt->batch == 2);
  REQUIRE(prompt->layers.size() == 2);
  CHECK(prompt->layers[1]->name == "layers.1.attn");
  REQUIRE(prompt->passes.size() == 1);
  CHECK(prompt->passes[0].next_id == 7);
  CHECK(prompt->passes[0].rows == 5);
  CHECK(prompt->passes[0].keys == 5);
  CHECK(prompt->passes[0].ms == 12.5);
  CHECK(prompt->passes[0].seconds == 1.5);
  CHECK(prompt->passes[0].bytes > 5 * 8 * 4 * 4);
  for (std::int64_t i = 5; i < 24; ++i) CHECK(text.take(as_read(model.records({i - 4, i, 1}))));
  const WatchedSnapshotPtr all = text.snapshot();
  CHECK(all->rows == 24);
  CHECK(all->keys == 24);
  CHECK(all->prompt == 5);
  CHECK(all->passes.size() == 20);
  CHECK(all->passes.back().first == 23);
  CHECK(all->passes.back().text == 1);
  CHECK(all->note.empty());
  REQUIRE(all->ids.size() == 2);
  REQUIRE(all->ids[1].size() == 24);
  for (std::int64_t i = 0; i < 24; ++i) CHECK(all->ids[1][static_cast<std::size_t>(i)] == model.id(1, i));
  CHECK(all->label(23) == fmt::to_string(model.id(0, 23)));
  CHECK(all->label(24) == "24");
  for (std::size_t l = 0; l < 2; ++l) CHECK(is_of(*all->layers[l], model.layers()[l]));
  CHECK(all->find(1) == all->layers[1].get());
  CHECK(all->find(2) == nullptr);
  // A snapshot that was returned does not change.
  CHECK(prompt->rows == 5);
  CHECK(prompt->layers[0]->keys() == 5);
  CHECK(is_of(*prompt->layers[0], model.layers()[0]));
}

TEST_CASE("a pass is not seen before it ends, nor one that failed", "[watch]") {
  const WatchedModel model = decoder();
  WatchedText text;
  std::vector<WatchRecord> records = as_read(model.records({0, 0, 5}));
  std::vector<WatchRecord> end;
  end.push_back(std::move(records.back()));
  records.pop_back();
  CHECK_FALSE(text.take(std::move(records)));
  CHECK(text.snapshot()->layers.empty());
  SECTION("it ends") {
    CHECK(text.take(std::move(end)));
    CHECK(text.snapshot()->rows == 5);
  }
  SECTION("another begins") {
    CHECK(text.take(as_read(model.records({1, 0, 3}))));
    CHECK(text.snapshot()->rows == 3);
    CHECK(text.snapshot()->passes.size() == 1);
    CHECK(text.snapshot()->passes[0].number == 1);
  }
}

TEST_CASE("a pass without keys before it begins a new text", "[watch]") {
  const WatchedModel first = decoder(1), second = decoder(2);
  WatchedText text;
  text.take(as_read(first.records({0, 0, 6})));
  text.take(as_read(first.records({1, 6, 1})));
  const WatchedSnapshotPtr before = text.snapshot();
  text.take(as_read(second.records({2, 0, 4})));
  const WatchedSnapshotPtr now = text.snapshot();
  CHECK(now->text == 2);
  CHECK(now->change > before->change);
  CHECK(now->rows == 4);
  CHECK(now->ids[0].size() == 4);
  CHECK(now->passes.size() == 3);
  CHECK(now->passes[1].text == 1);
  CHECK(now->passes[2].text == 2);
  CHECK(is_of(*now->layers[0], second.layers()[0]));
  CHECK(is_of(*before->layers[0], first.layers()[0]));
}

TEST_CASE("rows that were lost are left out, and whole calls go on with what is known", "[watch]") {
  const WatchedModel model = decoder();
  WatchedText text;
  text.take(as_read(model.records({0, 0, 6})));
  text.take(as_read(model.records({3, 8, 1}), 6));  // passes 1 and 2 were dropped
  CHECK(text.needs_whole());
  CHECK(text.snapshot()->rows == 6);
  CHECK(is_sentence(text.snapshot()->note));
  CHECK_THAT(text.snapshot()->note, ContainsSubstring("Pass 3"));
  text.take(as_read(model.records({4, 9, 1, true})));
  CHECK_FALSE(text.needs_whole());
  CHECK(text.snapshot()->note.empty());
  const WatchedLayer& layer = *text.snapshot()->layers[0];
  CHECK(layer.keys() == 10);
  CHECK(positions_of(layer) == std::vector<std::int64_t>{9});
  CHECK(layer.row_at(3) == -1);
  CHECK(is_of(layer, model.layers()[0]));
  SECTION("the rows stay where no layer lost its keys") {
    WatchedText other;
    other.take(as_read(model.records({0, 0, 6})));
    other.take(as_read(model.records({4, 9, 1, true}), 9));
    const WatchedLayer& kept = *other.snapshot()->layers[1];
    CHECK(positions_of(kept) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 9});
    CHECK(is_of(kept, model.layers()[1]));
    CHECK(other.snapshot()->ids[0][8] == -1);
    CHECK(other.snapshot()->label(8) == "8");
  }
  SECTION("but not those of another text") {
    const WatchedModel another = decoder(5);
    text.take(as_read(another.records({5, 10, 1, true})));
    CHECK(positions_of(*text.snapshot()->layers[0]) == std::vector<std::int64_t>{10});
    CHECK(is_of(*text.snapshot()->layers[0], another.layers()[0]));
  }
}

TEST_CASE("a pass of which a call was lost is not shown, its keys are kept", "[watch]") {
  const WatchedModel model = decoder();
  WatchedText text;
  text.take(as_read(model.records({0, 0, 6})));
  const auto part = [&](const ModelPass& pass, bool second_is_whole) {
    std::vector<WatchRecordBytes> records = model.records(pass);
    records.erase(records.begin());  // of the first layer
    if (second_is_whole) records[0] = model.call({pass.number, pass.first, 1, true}, 1);
    return records;
  };
  text.take(as_read(part({1, 6, 1}, true), 1));
  CHECK(text.snapshot()->rows == 6);
  CHECK(text.snapshot()->passes.size() == 1);
  CHECK_FALSE(text.snapshot()->note.empty());
  // The next pass sends the first layer whole, and the second continues from its keys.
  std::vector<WatchRecordBytes> next = model.records({2, 7, 1});
  next[0] = model.call({2, 7, 1, true}, 0);
  text.take(as_read(next));
  CHECK(text.snapshot()->note.empty());
  CHECK(positions_of(*text.snapshot()->layers[0]) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 7});
  CHECK(positions_of(*text.snapshot()->layers[1]) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 7});
  for (std::size_t l = 0; l < 2; ++l) CHECK(is_of(*text.snapshot()->layers[l], model.layers()[l]));
}

TEST_CASE("a window that comes in the middle of a text waits for whole calls", "[watch]") {
  const WatchedModel model = decoder();
  WatchedText text;
  text.take(as_read(model.records({7, 9, 1})));
  CHECK(text.needs_whole());
  CHECK(text.snapshot()->layers.empty());
  text.take(as_read(model.records({8, 10, 1, true})));
  CHECK_FALSE(text.needs_whole());
  CHECK(text.snapshot()->layers.size() == 2);
  CHECK(text.snapshot()->rows == 1);
  CHECK(text.snapshot()->keys == 11);
  CHECK(text.snapshot()->prompt == 0);
  text.take(as_read(model.records({9, 11, 1})));
  CHECK(text.snapshot()->rows == 2);
}

TEST_CASE("a text larger than the limit is counted, not kept", "[watch]") {
  const WatchedModel model = decoder();
  WatchedText text(9'000);
  std::int64_t next = 5;
  text.take(as_read(model.records({0, 0, 5})));
  const std::uint64_t before = text.snapshot()->bytes;
  CHECK(before > 2'000);
  while (next < 24) {
    text.take(as_read(model.records({next - 4, next, 1})));
    ++next;
    CHECK(text.snapshot()->bytes <= 9'000);
  }
  CHECK(text.snapshot()->rows < 24);
  CHECK(text.snapshot()->rows >= 5);
  CHECK(is_of(*text.snapshot()->layers[1], model.layers()[1]));
  CHECK(text.snapshot()->passes_seen == 20);
  CHECK(text.snapshot()->passes.size() == 20);
  CHECK_FALSE(text.needs_whole());
  CHECK_THAT(text.snapshot()->note, ContainsSubstring("0 MiB") && ContainsSubstring("from pass "));
  text.take(as_read(model.records({30, 0, 4})));
  CHECK(text.snapshot()->rows == 4);
  CHECK(text.snapshot()->note.empty());
  text.take(as_read(model.records({31, 0, 24})));  // too long alone
  CHECK(text.snapshot()->rows == 0);
  CHECK(text.snapshot()->layers.empty());
  CHECK_THAT(text.snapshot()->note, ContainsSubstring("from pass 31"));
}

TEST_CASE("the last 200 passes are kept", "[watch]") {
  const WatchedModel model = decoder();
  WatchedText text;
  for (std::int64_t i = 0; i < 230; ++i) text.take(as_read(model.records({i, 0, 2})));
  CHECK(text.snapshot()->passes_seen == 230);
  REQUIRE(text.snapshot()->passes.size() == WatchedText::kept_passes);
  CHECK(text.snapshot()->passes.front().number == 30);
  CHECK(text.snapshot()->passes.back().number == 229);
}

TEST_CASE("an encoder's calls belong to the pass that reads them, and stay", "[watch]") {
  const WatchedModel model(3, 1, 12,
                           {ModelLayer{.kind = "encoder", .causal = false}, ModelLayer{},
                            ModelLayer{.kind = "cross", .causal = false}});
  const auto records = [&](std::int64_t pass, std::int64_t first, std::int64_t rows) {
    std::vector<WatchRecordBytes> all = model.records({pass, first, rows});
    all[0] = model.call({99, 0, 12}, 0);  // of a separate pass without an end
    all[2] = model.call({pass, 0, 12}, 2);
    all[2].fields["queries_from"] = 0;
    const test::WatchBlob query = model.call({pass, first, rows}, 2).blobs[0].second;
    all[2].blobs[0].second = query;
    all.back().fields["memory_tokens"] = {"\u2581one", "\u2581two", "</s>"};
    all.back().fields["tokens"] = std::vector<std::string>(static_cast<std::size_t>(rows), "\u2581a");
    if (pass > 0) all.erase(all.begin());
    return all;
  };
  WatchedText text;
  text.take(as_read(records(0, 0, 2)));
  text.take(as_read(records(1, 2, 1)));
  text.take(as_read(records(2, 3, 1)));
  const WatchedSnapshotPtr now = text.snapshot();
  CHECK(now->text == 1);
  REQUIRE(now->layers.size() == 3);
  CHECK(now->rows == 4);
  CHECK(now->keys == 4);
  CHECK(now->layers[0]->rows() == 12);
  CHECK(now->layers[2]->rows() == 4);
  CHECK(now->layers[2]->keys() == 12);
  CHECK(positions_of(*now->layers[2]) == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(now->tokens == std::vector<std::string>{" a", " a", " a", " a"});
  CHECK(now->label(2) == " a");
  CHECK(now->memory_label(1) == " two");
  CHECK(now->memory_label(9) == "9");
}

TEST_CASE("a mask that layers share is kept once", "[watch]") {
  const ModelLayer masked{.mask = ModelLayer::Mask::Boolean};
  const WatchedModel model(4, 1, 24, {masked, masked, masked});
  std::vector<WatchRecordBytes> records = model.records({0, 0, 24});
  for (std::size_t l = 1; l < 3; ++l)
    for (auto& [name, blob] : records[l].blobs)
      if (name == "mask") blob = records[0].blobs.back().second;
  WatchedText text;
  text.take(as_read(records));
  const auto& layers = text.snapshot()->layers;
  REQUIRE(layers.size() == 3);
  CHECK(layers[0]->calls[0].mask != nullptr);
  CHECK(layers[0]->calls[0].mask == layers[1]->calls[0].mask);
  CHECK(layers[0]->calls[0].mask == layers[2]->calls[0].mask);
}

}  // namespace attnscope::watch_text_test
