// The bounds of sets of 0/1 columns against regressions on each set and against counts of its cells.
#include "log_loss/support_tree.hpp"

#include <algorithm>

#include "log_loss/bound.hpp"
#include "tests/check.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

namespace {

// Rows of 0/1 columns, some of them nearly pure, equal or complementary; merged rows with the weight of each class.
struct Table {
  int64_t n, p;
  std::vector<double> x, positive, negative, reach, limits, of_positive, of_negative, of_both;
  std::vector<uint64_t> bits, all;
  int64_t split;
  RiskData data{};
  BitSets sets{};

  Table(std::mt19937_64& random, int64_t rows, int64_t columns) : n(rows), p(columns) {
    x.resize(p * n);
    positive.resize(n), negative.resize(n);
    std::vector<int64_t> of_class[2];
    for (int64_t j = 0; j < p; j++) {
      const double share = random() % 4 ? 0.1 + 0.8 * uniform(random) : 0.03;
      for (int64_t i = 0; i < n; i++) x[j * n + i] = uniform(random) < share;
      if (j > 1 && random() % 6 == 0)
        for (int64_t i = 0; i < n; i++) x[j * n + i] = 1 - x[(j - 1) * n + i];
      if (j > 2 && random() % 6 == 0)
        for (int64_t i = 0; i < n; i++) x[j * n + i] = std::max(x[(j - 1) * n + i], x[(j - 2) * n + i]);
      x[j * n] = 0, x[j * n + 1] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
      double logit = -0.4;
      for (int64_t j = 0; j < p; j += 2) logit += (j % 3 ? 1.5 : -2.0) * (x[j * n + i] - 0.4);
      of_class[i > 1 ? uniform(random) > 1 / (1 + std::exp(-logit)) : i].push_back(i);
    }
    for (int side = 0; side < 2; side++)
      for (int64_t i : of_class[side]) (side ? negative : positive)[i] += 1.0 / n;
    split = static_cast<int64_t>(of_class[0].size() + 63) / 64;
    const int64_t words = split + static_cast<int64_t>(of_class[1].size() + 63) / 64;
    all.resize(words), bits.resize(p * words);
    for (int side = 0; side < 2; side++)
      for (size_t at = 0; at < of_class[side].size(); at++) {
        const uint64_t bit = uint64_t{1} << at % 64;
        const int64_t word = side * split + at / 64;
        all[word] |= bit;
        for (int64_t j = 0; j < p; j++)
          if (x[j * n + of_class[side][at]] > 0) bits[j * words + word] |= bit;
      }
    const auto products = [&](size_t count) {
      std::vector<double> out(count + 1);
      for (size_t t = 1; t <= count; t++) out[t] = t / double(n) * std::log(t / double(n));
      return out;
    };
    of_positive = products(of_class[0].size()), of_negative = products(of_class[1].size()), of_both = products(n);
    for (int64_t j = 0; j < p; j++) {  // centred, as the columns of a problem are
      double mean = 0;
      for (int64_t i = 0; i < n; i++) mean += x[j * n + i] / n;
      for (int64_t i = 0; i < n; i++) x[j * n + i] -= mean;
    }
    reach.assign(p, 200.0), limits = {500, 1e-13, 1e-12, 0, 0, 0};
    data.x = {x.data(), p, n};
    data.positive = view(positive), data.negative = view(negative), data.reach = view(reach), data.limits = view(limits);
    data.slope_is_free = 1, data.tolerance = 1e-9;
    sets = {{bits.data(), p, words}, view(all), split, view(of_positive), view(of_negative), view(of_both), 1.0 / n, 1.0 / n};
  }
};

// The least loss of a regression on these columns.
double least_loss(Table& table, const std::vector<int32_t>& columns) {
  const int64_t m = static_cast<int64_t>(columns.size());
  std::vector<double> point(m + 1), work(8 * table.n), reach(m, 200.0);
  std::vector<int64_t> own(columns.begin(), columns.end());
  double loss = kInfinity;
  for (int attempt = 0; attempt < 6; attempt++)
    loss = fit_support(table.data.x, view(own), view(table.positive), view(table.negative), table.n, m, view(reach), kInfinity,
                       view(table.limits), view(point), {work.data(), 8, table.n}, 1e-13).loss;
  return loss;
}

// The entropy of the cells of these columns.
double cell_loss(const Table& table, const std::vector<int32_t>& columns) {
  std::vector<double> positive(1 << columns.size()), negative(positive.size());
  for (int64_t i = 0; i < table.n; i++) {
    size_t cell = 0;
    for (size_t q = 0; q < columns.size(); q++) cell |= size_t{table.x[columns[q] * table.n + i] > 0} << q;
    positive[cell] += table.positive[i], negative[cell] += table.negative[i];
  }
  const auto product = [](double t) { return t > 0 ? t * std::log(t) : 0.0; };
  double total = 0;
  for (size_t c = 0; c < positive.size(); c++) total += product(positive[c] + negative[c]) - product(positive[c]) - product(negative[c]);
  return total;
}

struct Seen {
  int64_t screened = 0, passed = 0, relaxed = 0, excluded = 0, suffixes = 0;
};

void check_screens(Table& table, const BinaryRows& rows, std::mt19937_64& random, Seen& counts) {
  std::vector<int32_t> order(table.p);
  for (int64_t j = 0; j < table.p; j++) order[j] = static_cast<int32_t>(j);
  std::shuffle(order.begin(), order.end(), random);
  const int64_t depth = static_cast<int64_t>(random() % 4);
  const std::vector<int32_t> used(order.begin(), order.begin() + depth), columns(order.begin() + depth, order.end());
  const int64_t size = static_cast<int64_t>(columns.size());
  // risks by cell of a regression that need not have converged
  std::vector<double> point(depth + 1), work(8 * table.n), reach(depth, 200.0);
  std::vector<int64_t> own(used.begin(), used.end());
  fit_support(table.data.x, view(own), view(table.positive), view(table.negative), table.n, depth, view(reach), kInfinity,
              view(table.limits), view(point), {work.data(), 8, table.n}, random() % 2 ? 1e-12 : 1e-3);
  std::vector<uint16_t> code(table.n);
  std::vector<double> risk(1 << depth, 0.5);
  double loss = 0;
  for (int64_t i = 0; i < table.n; i++) {
    double z = point[0];
    for (int64_t q = 0; q < depth; q++) {
      const double x = table.x[used[q] * table.n + i];
      code[i] |= static_cast<uint16_t>((x > 0) << q);
      z += point[1 + q] * x;
    }
    risk[code[i]] = 1 / (1 + std::exp(-z));
    loss += table.positive[i] * std::log1p(std::exp(-z)) + table.negative[i] * std::log1p(std::exp(z));
  }
  PackedCells cells(rows, depth + 1);
  std::vector<std::vector<int32_t>> lists(depth + 1);
  for (int64_t level = 0; level <= depth; level++) {
    lists[level].assign(order.begin() + level, order.end());
    cells.enter(level, level ? used[level - 1] : -1, lists[level]);
  }
  for (int64_t room = 1; room <= 3; room++) {
    Screening screening(rows);
    const bool is_screened = screening.prepare(used, risk, code, columns, room > 1);
    for (int64_t i = 0; i < size; i++) {
      std::vector<std::vector<int64_t>> sets;
      for (int64_t a = room > 1 ? i + 1 : -1; a < (room > 1 ? size : 0); a++)
        for (int64_t b = room > 2 ? a + 1 : -1; b < (room > 2 ? size : 0); b++) sets.push_back({a, b});
      const double fall = 0.12 * uniform(random) * uniform(random), threshold = loss - fall;
      std::vector<Few> left;
      if (is_screened) screening.left_with(i, room, threshold, left);
      for (const auto& set : sets) {
        std::vector<int32_t> support = used;
        support.push_back(columns[i]);
        for (int64_t more : set)
          if (more >= 0) support.push_back(columns[more]);
        const bool is_left = !is_screened || std::any_of(left.begin(), left.end(), [&](Few few) { return few.a == set[0] && few.b == set[1]; });
        counts.screened++;
        if (!is_left) {
          counts.passed++;
          CHECK(least_loss(table, support) >= threshold - 1e-10);
        }
        const std::vector<int32_t> divided(support.begin() + depth, support.end() - 1);
        cells.divide(depth, divided.data(), room - 1);
        const double expected = cell_loss(table, support), bound = cells.bound(support.back(), kInfinity);
        CHECK(bound <= expected && bound > expected - 1e-9);
      }
    }
  }
}

void check_all_columns(Table& table, const BinaryRows& rows, std::mt19937_64& random, Seen& counts) {
  AllColumns all(rows, 3);
  std::vector<int32_t> columns(table.p);
  for (int64_t j = 0; j < table.p; j++) columns[j] = static_cast<int32_t>(j);
  std::vector<double> point(table.p + 1, 0.0);
  for (int64_t level = 0; level < 3; level++) {  // children use the Hessian of their parents
    std::shuffle(columns.begin(), columns.end(), random);
    columns.resize(columns.size() - level);
    all.start(level);
    const double expected = least_loss(table, columns), threshold = expected + 0.02 * (uniform(random) - 0.6);
    const AllColumns::Outcome found = all.bound(level, columns, threshold, point);
    CHECK(!found.passed || (expected >= threshold - 1e-10 && found.bound <= expected + 1e-10));
    counts.relaxed++;
    counts.excluded += found.passed;
    const std::vector<int32_t> used(columns.begin(), columns.begin() + 2), order(columns.begin() + 2, columns.end());
    const int64_t last = static_cast<int64_t>(order.size()), first = all.first_excluded(level, used, order, last, threshold, point);
    CHECK(first >= 1 && first <= last);
    if (first < last) {
      std::vector<int32_t> suffix = used;
      suffix.insert(suffix.end(), order.begin() + first, order.end());
      CHECK(least_loss(table, suffix) >= threshold - 1e-10);
      counts.suffixes++;
    }
  }
}

}  // namespace

int main() {
  Seen first;
  for (const char* version : {"baseline", "avx2", "avx512"}) {
    if (!choose_loop_version(version)) continue;
    std::mt19937_64 random(7);
    Seen counts;
    for (int round = 0; round < 40; round++) {
      Table table(random, 20 + static_cast<int64_t>(random() % 180), 7 + static_cast<int64_t>(random() % 6));
      const BinaryRows rows(table.data, table.sets, 5);
      check_screens(table, rows, random, counts);
      check_all_columns(table, rows, random, counts);
    }
    std::printf("%s: %ld of %ld sets screened, %ld of %ld nodes excluded, %ld suffixes\n", version, long(counts.passed),
                long(counts.screened), long(counts.excluded), long(counts.relaxed), long(counts.suffixes));
    CHECK(counts.passed > counts.screened / 20 && counts.excluded > 20 && counts.suffixes > 20);
    if (first.screened == 0) first = counts;
    CHECK(first.passed == counts.passed && first.excluded == counts.excluded && first.suffixes == counts.suffixes);
  }
  return 0;
}
