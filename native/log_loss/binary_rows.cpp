#include "log_loss/binary_rows.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "log_loss/bound.hpp"

namespace supersparse::log_loss {
namespace {

constexpr double kSmall = 0.01;  // a loss of which regressions take long

}  // namespace

BinaryRows::BinaryRows(const RiskData& of, const BitSets& of_rows, int64_t most_features)
    : data(of), sets(of_rows), n(of.n_rows()), columns(of.n_columns()), words((n + 63) / 64), padded(64 * words),
      positive(padded), negative(padded), weight(padded), cap(columns), first_alike(columns), bits_(columns * words), whole_((columns + 1) * padded), reach_(columns) {
  for (int64_t i = 0; i < n; i++) {
    positive[i] = data.positive[i], negative[i] = data.negative[i];
    weight[i] = positive[i] + negative[i];
  }
  std::fill_n(whole_.data(), n, 1);
  std::vector<double> shift(columns);
  for (int64_t j = 0; j < columns; j++) {
    const double* x = data.x.row(j).data;
    const auto [low, high] = std::minmax_element(x, x + n);
    cap[j] = data.reach[j] * (*high - *low);
    shift[j] = data.reach[j] * std::fabs(*low) + cap[j];
    int16_t* whole = whole_.data() + (j + 1) * padded;
    for (int64_t i = 0; i < n; i++)
      if (x[i] > *low) {
        whole[i] = 1;
        bits_[j * words + i / 64] |= uint64_t{1} << (i % 64);
      }
  }
  std::vector<uint64_t> every(words, ~uint64_t{0});
  if (n % 64) every[words - 1] = (uint64_t{1} << n % 64) - 1;
  std::map<std::vector<uint64_t>, int32_t> known;
  std::vector<double> of_class(columns, 0.0);
  for (int64_t j = 0; j < columns; j++) {
    std::vector<uint64_t> own(bits(j), bits(j) + words);
    if (own[0] & 1)
      for (int64_t w = 0; w < words; w++) own[w] ^= every[w];
    first_alike[j] = known.emplace(std::move(own), static_cast<int32_t>(j)).first->second;
    of_class[first_alike[j]] += cap[j];
  }
  const auto largest = [&](std::vector<double> of_columns) {
    std::sort(of_columns.begin(), of_columns.end(), std::greater<>());
    double total = 0;
    for (int64_t q = 0; q < std::min(columns, most_features); q++) total += of_columns[q];
    return total;
  };
  const double both = loops().total(weight.data(), n);
  intercept_cap = data.limits[0] + largest(shift);
  margin = data.limits[2] + data.limits[1] * both * (2 + intercept_cap + largest(cap));
  for (int64_t j = 0; j < columns; j++) {
    const double width = cap[j] / data.reach[j];
    cap[j] = of_class[first_alike[j]];
    reach_[j] = cap[j] / width;
  }
  data.reach = view(reach_);
}

void divide_cells(const BinaryRows& rows, const std::vector<uint16_t>& before, int32_t column, int64_t place,
                  std::vector<uint16_t>& after) {
  const int16_t* x = rows.whole(column);
  for (int64_t i = 0; i < rows.n; i++) after[i] = static_cast<uint16_t>(before[i] | (x[i] << place));
}

// The cells that have rows: the values of the columns, the weights of both classes, and room for `fit_support`.
CellRegression::Sample CellRegression::sample_of(const BinaryRows& rows, const std::vector<uint16_t>& code, int64_t size) {
  place_.assign(int64_t{1} << size, -1);
  cells_.clear();
  for (int64_t i = 0; i < rows.n; i++) {
    int32_t& place = place_[code[i]];
    if (place >= 0) continue;
    place = static_cast<int32_t>(cells_.size());
    cells_.push_back(code[i]);
  }
  const int64_t cells = static_cast<int64_t>(cells_.size());
  room_.assign((size + 8) * cells, 0.0);
  order_.resize(size);
  for (int64_t q = 0; q < size; q++) {
    order_[q] = q;
    for (int64_t c = 0; c < cells; c++) room_[q * cells + c] = static_cast<double>(cells_[c] >> q & 1);
  }
  double *positive = room_.data() + (size + 6) * cells, *negative = positive + cells;
  for (int64_t i = 0; i < rows.n; i++) {
    positive[place_[code[i]]] += rows.positive[i];
    negative[place_[code[i]]] += rows.negative[i];
  }
  if (fit.empty()) {
    double of_positive = 0, of_negative = 0;
    for (int64_t c = 0; c < cells; c++) of_positive += positive[c], of_negative += negative[c];
    fit.assign(1, std::log(of_positive / of_negative));
  }
  fit.resize(size + 1, 0.0);
  return {{room_.data(), size, cells}, {room_.data() + size * cells, 6, cells}, {positive, cells}, {negative, cells}, cells};
}

void CellRegression::run(const BinaryRows& rows, const std::vector<uint16_t>& code, int64_t size) {
  const auto [x, work, positive, negative, cells] = sample_of(rows, code, size);
  caps_.assign(size, 0.0);
  // where the classes can be told apart, each call gains little
  for (int attempt = 0; attempt < 3 && (attempt == 0 || loss < kSmall); attempt++)
    loss = fit_support(x, view(order_), positive, negative, cells, size, view(caps_), kInfinity, rows.data.limits, view(fit), work, 1e-9).loss;
  scores_at(work.row(0), view(fit), 1, x, view(order_), size, cells);
  loss = loss_at(work.row(0), positive, negative, work.row(1), cells);
  risk.assign(place_.size(), 0.5);
  for (int64_t c = 0; c < cells; c++) {
    const double e = work(1, c);
    risk[cells_[c]] = (work(0, c) >= 0 ? 1.0 : e) / (1 + e);
  }
}

bool CellRegression::excludes(const BinaryRows& rows, const std::vector<uint16_t>& code, const int32_t* columns, int64_t size,
                              double threshold) {
  const auto [x, work, positive, negative, cells] = sample_of(rows, code, size);
  caps_.resize(size);
  for (int64_t q = 0; q < size; q++) caps_[q] = rows.cap[columns[q]];
  double limits[] = {rows.intercept_cap, rows.data.limits[1], rows.margin};
  return fit_support(x, view(order_), positive, negative, cells, size, view(caps_), threshold, {limits, 3}, view(fit), work, 1e-3).passed;
}

}  // namespace supersparse::log_loss
