// Does each hand-built head do what its name says? Weights are computed here by plain loops in double.
#include "core/weights/hand_built.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/attention/embed.hpp"
#include "core/attention/positions.hpp"
#include "core/edits/edits.hpp"
#include "core/text/function_words.hpp"

namespace attnscope::hand_built_test {

using Catch::Approx;

namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr const char* opening = "The cat sat on the mat";
constexpr const char* sentences[] = {
    opening,
    "She sat on the bank of the river because the water was warm.",
    "When the old man closed the door, the wind blew through the garden and nobody in the house heard the "
    "bell ring.",
};

/// The opening example's settings.
Document built(const std::string& text, std::uint64_t seed = 7) {
  Document document = edit::texts({}, {text});
  document.layer().weights.noise = 0.1f;
  document.layer().weights.seed = seed;
  document.layer().masking.causal = true;
  return edit::recipe(std::move(document), Recipe::HandBuilt);
}

std::vector<std::string> tokens(const Document& document) {
  return texts_of(document.input.sequences[0].tokens);
}

/// q · k of one head.
Matrix scores(const Document& document, int head) {
  const TensorOf<double> x = add_positions(document, embed<double>(document));  // [1][n][d_model]
  const int n = static_cast<int>(x.shape()[1]), d_model = document.layer().d_model, d_k = key_width(document);
  const auto project = [&](const Tensor& w) {
    Matrix y(static_cast<std::size_t>(n));
    for (int t = 0; t < n; ++t) {
      for (int c = head * d_k; c < (head + 1) * d_k; ++c) {
        double sum = 0;
        for (int d = 0; d < d_model; ++d) sum += x.matrix(0)(t, d) * static_cast<double>(w.matrix()(d, c));
        y[static_cast<std::size_t>(t)].push_back(sum);
      }
    }
    return y;
  };
  const Matrix q = project(*document.layer().weights[Parameter::WQuery]),
               k = project(*document.layer().weights[Parameter::WKey]);
  Matrix s(q.size(), std::vector<double>(q.size()));
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (std::size_t j = 0; j < s.size(); ++j) {
      for (std::size_t c = 0; c < q[i].size(); ++c) s[i][j] += q[i][c] * k[j][c];
    }
  }
  return s;
}

Matrix attention(const Document& document, int head) {
  Matrix w = scores(document, head);
  const double scale = scale_factor(document.layer().scaling, key_width(document));
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::size_t seen = document.layer().masking.causal ? i + 1 : w.size();
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[i][j] = j < seen ? std::exp(w[i][j] * scale) : 0;
      sum += w[i][j];
    }
    for (double& weight : w[i]) weight /= sum;
  }
  return w;
}

std::size_t argmax(const std::vector<double>& row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

double normalised_entropy(const std::vector<double>& row) {
  double entropy = 0, allowed = 0;
  for (const double w : row) {
    if (w > 0) entropy -= w * std::log(w), ++allowed;
  }
  return entropy / std::log(allowed);
}

/// Calls check(document, causal) for the sentences, masked and not, and for other seeds.
template <class Check>
void everywhere(Check check) {
  for (const char* text : sentences) {
    for (const std::uint64_t seed : {7u, 1u, 2u}) {
      for (const bool causal : {true, false}) {
        CAPTURE(text, seed, causal);
        Document document = built(text, seed);
        document.layer().masking.causal = causal;
        check(document);
      }
    }
  }
}

}  // namespace

TEST_CASE("head 0 looks at the previous token") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 0);
    for (std::size_t i = 1; i < w.size(); ++i) {
      CHECK(w[i][i - 1] > 0.8);
      CHECK(w[i][i - 1] < 0.97);  // room for the scale and the temperature to change it
    }
  });
}

TEST_CASE("head 1 looks at the first token") {
  everywhere([](const Document& document) {
    for (const std::vector<double>& row : attention(document, 1)) CHECK(row[0] > 0.75);
  });
}

TEST_CASE("head 2 looks at the same token, capitals or not") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 2);
    const std::vector<std::string> words = tokens(document);
    for (std::size_t i = 0; i < w.size(); ++i) {
      CHECK(folded(words[argmax(w[i])]) == folded(words[i]));
      double mass = 0;
      for (std::size_t j = 0; j < w.size(); ++j) mass += folded(words[i]) == folded(words[j]) ? w[i][j] : 0;
      CHECK(mass > (w.size() < 10 ? 0.6 : 0.25));  // eight numbers distinguish few words best
    }
  });
  const Matrix w = attention(built(opening), 2);
  CHECK(w[4][0] == Approx(0.5).margin(0.1));  // "the" finds "The"
  CHECK(w[4][4] == Approx(0.5).margin(0.1));
}

TEST_CASE("head 3 looks at content words and prefers some to others") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 3);
    const std::vector<std::string> words = tokens(document);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t seen = document.layer().masking.causal ? i + 1 : w.size();
      double content = 0, count = 0;
      for (std::size_t j = 0; j < seen; ++j) {
        if (!is_function_word(words[j])) content += w[i][j], ++count;
      }
      if (count == 0) continue;
      const double uniform = count / static_cast<double>(seen);
      if (count > 1) CHECK(content > 0.6);
      CHECK(content >= uniform);
    }
  });
  const Matrix w = attention(built(opening), 3);
  CHECK(w[2][1] > 0.5);  // sat -> cat
  CHECK(w[2][1] < 0.75);
}

TEST_CASE("a chosen product of the content head is made of many numbers") {
  const Document document = built(opening);
  const TensorOf<double> x = add_positions(document, embed<double>(document));
  const auto column = [&](const Tensor& w, int t, int c) {
    return (x.matrix(0).row(t) * w.matrix().col(c).cast<double>())(0, 0);
  };
  double sum = 0, largest = 0;
  for (int c = 24; c < 32; ++c) {
    const double product = column(*document.layer().weights[Parameter::WQuery], 2, c) *
                           column(*document.layer().weights[Parameter::WKey], 1, c);
    sum += std::abs(product), largest = std::max(largest, std::abs(product));
  }
  CHECK(largest < 0.5 * sum);
}

TEST_CASE("head 4 spreads its attention evenly, but not exactly so") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 4);
    for (std::size_t i = 1; i < w.size(); ++i) {
      CHECK(normalised_entropy(w[i]) > 0.95);
      CHECK(normalised_entropy(w[i]) < 0.9999999);
    }
  });
}

TEST_CASE("head 5 looks at its neighbourhood, on both sides alike") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 5);
    const auto n = static_cast<std::ptrdiff_t>(w.size());
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      double near = 0;
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        const double weight = w[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        if (std::abs(i - j) <= 3) near += weight;
        if (i > 1 && n > 2) CHECK(weight < 0.75);  // soft
      }
      CHECK(near > 0.8);
      if (document.layer().masking.causal || i < 2 || i + 2 >= n) continue;
      const auto& row = w[static_cast<std::size_t>(i)];
      const double before = row[static_cast<std::size_t>(i - 1)],
                   after = row[static_cast<std::size_t>(i + 1)];
      CHECK(std::abs(std::log(before / after)) < 1);  // equal except for the noise
    }
  });
}

TEST_CASE("head 6 looks at function words, near ones more") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 6);
    const std::vector<std::string> words = tokens(document);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t seen = document.layer().masking.causal ? i + 1 : w.size();
      double function = 0, count = 0;
      for (std::size_t j = 0; j < seen; ++j) {
        if (is_function_word(words[j])) function += w[i][j], ++count;
      }
      if (count > 0) CHECK(function > 0.6);
    }
  });
  const Matrix w = attention(built(opening), 6);
  CHECK(argmax(w[1]) == 0);  // cat -> The
  CHECK(argmax(w[2]) == 0);  // sat -> The
}

TEST_CASE("head 7 looks two back and at the first token") {
  everywhere([](const Document& document) {
    const Matrix w = attention(document, 7);
    double both = 0, first = 0, skipped = 0;
    for (std::size_t i = 3; i < w.size(); ++i) {
      both += w[i][0] + w[i][i - 2];
      first += w[i][0];
      skipped += w[i][i - 2];
      CHECK(w[i][0] + w[i][i - 2] >
            0.35);  // row 4: the token between the two, one step from both, takes its share
    }
    const double rows = static_cast<double>(w.size() - 3);
    CHECK(both / rows > 0.6);
    CHECK(first / rows > 0.2);
    CHECK(skipped / rows > 0.2);
  });
}

TEST_CASE("the eight heads are eight different pictures") {
  const Document document = built(opening);
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < a; ++b) {
      CAPTURE(a, b);
      const Matrix left = attention(document, a), right = attention(document, b);
      double moved = 0;  // attention that would have to be moved, per row; the first row is always one cell
      for (std::size_t i = 1; i < left.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) moved += std::abs(left[i][j] - right[i][j]) / 2;
      }
      CHECK(moved / 5 > 0.2);
    }
  }
}

TEST_CASE("heads still look right over sixty tokens") {
  std::string text = "begin";
  for (int i = 1; i < 63; ++i) text += " word" + std::to_string(i);
  const Document document = built(text);
  const Matrix previous = attention(document, 0), first = attention(document, 1);
  for (std::size_t i = 1; i < previous.size(); ++i) {
    CHECK(previous[i][i - 1] > 0.75);
    CHECK(first[i][0] > 0.6);
  }
}

TEST_CASE("leaving out the scale sharpens, heating softens") {
  Document document = built(opening);
  const double scaled = attention(document, 0)[3][2];
  document.layer().scaling.kind = Scaling::Kind::Off;
  CHECK(attention(document, 0)[3][2] > scaled + 0.03);
  document.layer().scaling = {Scaling::Kind::Factor, 0.1f};
  CHECK(attention(document, 0)[3][2] < scaled - 0.2);
}

TEST_CASE("without noise W_V and W_O undo each other, and heads carry interleaved dimensions") {
  const HandBuiltWeights w = hand_built_weights({64, 8, 8}, 7, 0);
  const Eigen::MatrixXf product = w.w_value.matrix() * w.w_output.matrix();
  CHECK(product == Eigen::MatrixXf::Identity(64, 64));
  CHECK(w.w_value.matrix()(3 + 2 * 8, 3 * 8 + 2) == 1);
  CHECK(w.head_names == std::vector<std::string>{"previous token", "first token", "same token", "content",
                                                 "diffuse", "local", "function word", "skip + first"});
}

TEST_CASE("noise reaches every weight with the promised deviation") {
  const HandBuiltWeights plain = hand_built_weights({64, 8, 8}, 7, 0),
                         noisy = hand_built_weights({64, 8, 8}, 7, 0.4f);
  for (const auto block : {&HandBuiltWeights::w_query, &HandBuiltWeights::w_key, &HandBuiltWeights::w_value,
                           &HandBuiltWeights::w_output}) {
    double squares = 0;
    for (std::size_t i = 0; i < 4096; ++i) {
      squares += std::pow((noisy.*block).values()[i] - (plain.*block).values()[i], 2);
    }
    CHECK(std::sqrt(squares / 4096) == Approx(0.4 / 8).epsilon(0.06));  // standard error 1.1 %
  }
}

TEST_CASE("any width and number of heads that fit can be built") {
  for (const int d_model : {16, 17, 18, 24, 30, 32, 96, 128, 512}) {
    for (int heads = 1; heads <= d_model; ++heads) {
      if (d_model % heads != 0 || heads > 64) continue;
      CAPTURE(d_model, heads);
      const HandBuiltWeights w = hand_built_weights({d_model, heads, d_model / heads}, 7, 0.1f);
      CHECK(w.head_names.size() == static_cast<std::size_t>(heads));
      CHECK(w.head_names.back() ==
            hand_built_weights({64, 8, 8}, 7, 0).head_names[static_cast<std::size_t>(heads - 1) % 8]);
      CHECK(std::ranges::all_of(w.w_query.values(), [](float x) { return std::isfinite(x); }));
      CHECK(std::ranges::all_of(w.w_key.values(), [](float x) { return std::isfinite(x); }));
    }
  }
  // Other widths keep the heads' patterns: the previous token is found wherever a head has its eight
  // channels.
  for (const auto& [d_model, heads] : {std::pair{32, 4}, {128, 8}, {128, 16}, {512, 8}}) {
    CAPTURE(d_model, heads);
    Document document = edit::heads(edit::d_model(built(opening), d_model), heads);
    const Matrix previous = attention(document, 0), first = attention(document, 1);
    for (std::size_t i = 1; i < previous.size(); ++i) {
      CHECK(previous[i][i - 1] > 0.75);
      CHECK(first[i][0] > 0.7);
    }
  }
}

TEST_CASE("heads wider or narrower than d_model / heads keep their jobs") {
  struct Size {
    int heads, d_k;
  };
  for (const Size size : {Size{8, 16}, Size{5, 24}, Size{6, 8}, Size{3, 64}}) {
    CAPTURE(size.heads, size.d_k);
    const Document document = edit::heads(edit::d_k(built(opening), size.d_k), size.heads);
    const Dimensions d = check(document);
    CHECK((d.d_k == size.d_k && d.d_v == size.d_k && d.d_model == 64));
    CHECK(document.layer().weights[Parameter::WOutput]->shape() == Shape{size.heads * size.d_k, 64});
    const Matrix previous = attention(document, 0), first = attention(document, 1);
    for (std::size_t i = 1; i < previous.size(); ++i) {
      CHECK(previous[i][i - 1] > 0.75);
      CHECK(first[i][0] > 0.7);
    }
  }
}

TEST_CASE("with room for all dimensions W_V and W_O undo each other, with less the last are not carried") {
  const HandBuiltWeights wide = hand_built_weights({64, 5, 16}, 7, 0);  // 13 of 16 columns are used
  CHECK(wide.w_value.matrix() * wide.w_output.matrix() == Eigen::MatrixXf::Identity(64, 64));
  const HandBuiltWeights narrow = hand_built_weights({64, 8, 6}, 7, 0);
  Eigen::MatrixXf kept = Eigen::MatrixXf::Identity(64, 64);
  kept.bottomRightCorner(16, 16).setZero();  // head h carries h, h + 8 … h + 40
  CHECK(narrow.w_value.matrix() * narrow.w_output.matrix() == kept);
}

}  // namespace attnscope::hand_built_test
