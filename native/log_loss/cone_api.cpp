// The C functions of the proof of risk cards, which `engine/risk/kernels.py` declares.
#include <algorithm>

#include "kernel.hpp"
#include "log_loss/completions.hpp"
#include "log_loss/projection.hpp"
#include "log_loss/relaxation.hpp"
#include "log_loss/support_tree.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

namespace {

Sample sample_of(const RiskData& data, Ints columns) { return {data.x, columns, data.positive, data.negative, data.n_rows()}; }

void check_columns(const RiskData& data, Ints columns) {
  for (int64_t j : columns) require(j >= 0 && j < data.n_columns(), "a column is out of range");
}

void check_relaxation(const RiskData& data, Ints columns, const CardBox& box, Floats point, Floats dual,
                      Matrix<double> work, Matrix<double> gram, Floats found) {
  const int64_t m = columns.size;
  check_columns(data, columns);
  require(box.low.size == m && box.high.size == m && box.optional.size == m && box.cost.size == m && box.room >= 0,
          "a box has a range for each column");
  require(point.size == m + 2 && dual.size == m + 1 && gram.rows > m && gram.columns > m && found.size == 2,
          "there is no room for what a relaxation finds");
  require(work.rows >= 7 && work.columns == data.n_rows(), "there is no room for the rows of a relaxation");
}

void check_completions(const RiskData& data, const Support& support, const Cells& cells, const PartialSupport& partial) {
  const int64_t m = data.n_columns();
  check_columns(data, partial.used);
  check_columns(data, partial.candidates);
  require(partial.low.size == m && partial.high.size == m && partial.least_cost.size == m && partial.start.size == m + 2,
          "a node has a range for each column");
  for (int64_t j = 0; j < m; j++)
    require(partial.low[j] >= 0 && partial.high[j] < data.values.columns && partial.low[j] <= partial.high[j] + 1,
            "the range of a column is out of range");
  const int64_t most = partial.used.size + std::min(partial.room, partial.candidates.size);
  require(partial.room >= 0 && most < support.columns.size && most < cells.groups.size, "a support has too many columns");
}

void tell(const Relaxed& relaxed, Floats found, int64_t* answer) {
  found[0] = relaxed.bound;
  found[1] = relaxed.loss;
  *answer = relaxed.passed;
}

}  // namespace

extern "C" {

SUPERSPARSE_API int32_t ss_relax(const RiskData* data, const Ints* columns, const Floats* low, const Floats* high,
                                 const Ints* optional, const Floats* cost, int64_t room, double slope_low,
                                 double slope_high, double threshold, double haste, const Floats* point,
                                 const Floats* dual, const Matrix<double>* work, const Matrix<double>* gram,
                                 const Floats* found, int64_t* answer) {
  return guarded([&] {
    const CardBox box{*low, *high, *optional, *cost, room};
    check_relaxation(*data, *columns, box, *point, *dual, *work, *gram, *found);
    const SlopeRange slope{data->slope_is_free != 0, slope_low, slope_high};
    tell(relax(sample_of(*data, *columns), box, slope, threshold, data->limits, *point, *dual, *work, *gram, haste), *found,
         answer);
  });
}

SUPERSPARSE_API int32_t ss_relax_open(const RiskData* data, const Ints* columns, const Floats* low,
                                      const Floats* high, const Ints* optional, const Floats* cost, int64_t room,
                                      double slope_high, double threshold, const Floats* point, const Floats* dual,
                                      const Matrix<double>* work, const Matrix<double>* gram, const Floats* found,
                                      int64_t* answer) {
  return guarded([&] {
    const CardBox box{*low, *high, *optional, *cost, room};
    check_relaxation(*data, *columns, box, *point, *dual, *work, *gram, *found);
    tell(relax_open(sample_of(*data, *columns), box, slope_high, threshold, data->limits, *point, *dual, *work, *gram), *found,
         answer);
  });
}

SUPERSPARSE_API int32_t ss_run_completions(const RiskData* data, const Support* support, const Boxes* boxes,
                                           const Best* best, const BitSets* bits, const Cells* cells,
                                           const Ints* used, const Ints* candidates, int64_t room, const Ints* low,
                                           const Ints* high, const Floats* start, double loss_floor,
                                           const Floats* least_cost, int64_t budget, int64_t* answer) {
  return guarded([&] {
    const PartialSupport partial{*used, *candidates, room, *low, *high, *start, loss_floor, *least_cost};
    check_completions(*data, *support, *cells, partial);
    *answer = run_completions(*data, *support, *boxes, *best, *bits, *cells, partial, budget);
  });
}

// A proof over supports of 0/1 columns; `tree` is its address, until it is freed. Its arrays must live as long.
SUPERSPARSE_API int32_t ss_support_tree(const RiskData* data, const BitSets* bits, int64_t most_features, int64_t* answer) {
  return guarded([&] {
    require(most_features >= 0 && most_features <= 15, "a support has too many columns");
    require(bits->columns.rows == data->n_columns() && bits->all.size > 0 && bits->columns.columns == bits->all.size,
            "columns must be bit sets");
    require(bits->split > 0 && bits->split < bits->all.size, "both classes need rows");
    *answer = static_cast<int64_t>(reinterpret_cast<intptr_t>(new SupportTree(*data, *bits, most_features)));
  });
}

SUPERSPARSE_API int32_t ss_free_supports(int64_t tree, int64_t*) {
  return guarded([&] { delete reinterpret_cast<SupportTree*>(static_cast<intptr_t>(tree)); });
}

SUPERSPARSE_API int32_t ss_start_supports(int64_t tree, const RiskData* data, const Ints* used, const Ints* candidates,
                                          int64_t room, int64_t most_features, const Ints* low, const Ints* high,
                                          const Floats* point, int64_t*) {
  return guarded([&] {
    check_columns(*data, *used);
    check_columns(*data, *candidates);
    require(low->size == data->n_columns() && high->size == low->size && point->size == low->size + 2,
            "a node has a range for each column");
    require(room > 0 && used->size + room <= most_features, "a support has too many columns");
    reinterpret_cast<SupportTree*>(static_cast<intptr_t>(tree))->start(*used, *candidates, room, *low, *high, *point);
  });
}

SUPERSPARSE_API int32_t ss_run_supports(int64_t tree, const Support* support, const Boxes* boxes, const Best* best,
                                        int64_t budget, int64_t* answer) {
  return guarded([&] { *answer = reinterpret_cast<SupportTree*>(static_cast<intptr_t>(tree))->run(*support, *boxes, *best, budget); });
}

SUPERSPARSE_API int32_t ss_find_cards(int64_t tree, const RiskData* data, const Support* support, const Best* best, const Ints* low,
                                      const Ints* high, int64_t budget, int64_t* answer) {
  return guarded([&] {
    require(low->size == data->n_columns() && high->size == low->size, "a problem has a range for each column");
    *answer = reinterpret_cast<SupportTree*>(static_cast<intptr_t>(tree))->find_cards(*support, *best, *low, *high, budget);
  });
}

SUPERSPARSE_API int32_t ss_supports_left(int64_t tree, int64_t* answer) {
  return guarded([&] { *answer = reinterpret_cast<SupportTree*>(static_cast<intptr_t>(tree))->most_left(); });
}

SUPERSPARSE_API int32_t ss_list_supports(int64_t tree, const Matrix<int8_t>* status, const Floats* bounds, int64_t* answer) {
  return guarded([&] { *answer = reinterpret_cast<SupportTree*>(static_cast<intptr_t>(tree))->rest(*status, *bounds); });
}

}  // extern "C"
