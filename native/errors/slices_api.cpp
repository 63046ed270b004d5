// What Python calls of the tree over supports and of packings of pairs.
#include "errors/pairs.hpp"
#include "errors/slices.hpp"
#include "kernel.hpp"

using namespace supersparse;
using namespace supersparse::errors;

namespace {

void check_state(const TreeData& data, const SliceState& state) {
  const int64_t most = data.branching.max_features, literals = 2 * data.branching.twin_of.size;
  require(state.number.size > DROPPED && state.number[TOP] >= 0 && state.number[TOP] <= state.part.rows,
          "a slice has more open parts than places");
  require(state.part.columns >= LITERALS + most && state.hit.size > most, "a part needs a place for each literal");
  require(state.allowed.rows == state.part.rows && state.allowed.columns == literals, "a part needs a flag for each literal");
  require(state.pair.columns == data.pairs.positive.size && state.cell.columns == data.rows.ranks.columns,
          "the levels are not of these pairs and rows");
  require(state.scratch.rows > DOWN && state.scratch.columns == state.name.size && state.level.rows > CELL_PREFIX,
          "the scratch space is too small");
}

}  // namespace

extern "C" {

SUPERSPARSE_API int32_t ss_run_slice(const TreeData* data, const SliceState* state, const Ints* shared, int64_t tie,
                                     int64_t strict, int64_t l1, int64_t until, int64_t least, int64_t* answer) {
  return guarded([&] {
    check_state(*data, *state);
    require(shared->size >= 2, "a slice shares the cut and the number of idle threads");
    *answer = run_slice(*data, *state, *shared, {tie, strict, l1}, until, least);
  });
}

SUPERSPARSE_API int32_t ss_group_rows(const Matrix<int32_t>* ranks, const Ints* n_ranks, const Ints* support, const Ints* cell,
                                      int64_t* answer) {
  return guarded([&] {
    require(cell->size == ranks->columns && n_ranks->size == ranks->rows, "each row needs a place for its number");
    for (int64_t f : *support) require(f >= 0 && f < ranks->rows, "a support has features only");
    *answer = group_rows(*ranks, *n_ranks, *support, *cell);
  });
}

SUPERSPARSE_API int32_t ss_nearest_pairs(const Matrix<int32_t>* ranks, const Matrix<int32_t>* others, int64_t is_positive,
                                         const Matrix<uint64_t>* bits, const Matrix<uint64_t>* other_bits, const Matrix<uint64_t>* masks,
                                         const Flags* allowed, const Flags* covering, int64_t most, const Ints* candidates,
                                         const Array<int32_t>* mine, const Array<int32_t>* theirs, int64_t* answer) {
  return guarded([&] {
    const Points points{*ranks, *others, is_positive != 0, *bits, *other_bits, *masks, *allowed, *covering};
    const int64_t places = ranks->rows * most, literals = 2 * ranks->columns;
    require(mine->size >= places && theirs->size >= places, "each point needs a place for each partner");
    require(allowed->size == literals && covering->size == literals, "each literal needs its flags");
    *answer = nearest_pairs(points, most, *candidates, *mine, *theirs);
  });
}

SUPERSPARSE_API int32_t ss_pair_literals(const Matrix<int32_t>* positive_ranks, const Matrix<int32_t>* negative_ranks,
                                         const Array<int32_t>* positive, const Array<int32_t>* negative, const Flags* allowed, const Ints* start,
                                         const Array<int32_t>* literal, int64_t* answer) {
  return guarded([&] {
    require(negative->size == positive->size && start->size == positive->size + 1, "each pair has two points and a start");
    *answer = pair_literals(*positive_ranks, *negative_ranks, *positive, *negative, *allowed, *start, *literal);
  });
}

SUPERSPARSE_API int32_t ss_most_gained(const Ints* load, const Ints* penalty, const Flags* allowed, int64_t most, const Ints* least,
                                       int64_t* answer) {
  return guarded([&] {
    require(penalty->size == load->size && allowed->size == load->size, "each literal needs a load, a penalty and a flag");
    const Gained gained = most_gained(*load, *penalty, *allowed, most);
    *answer = gained.sum;
    (*least)[0] = gained.least;
  });
}

SUPERSPARSE_API int32_t ss_without_literal(const Array<int32_t>* pairs, const Matrix<uint64_t>* masks, int64_t literal,
                                           const Array<int32_t>* kept, int64_t* answer) {
  return guarded([&] {
    require(kept->size >= pairs->size && literal >= 0 && literal < 64 * masks->columns, "the literal has no bit");
    *answer = without_literal(*pairs, *masks, literal, *kept);
  });
}

SUPERSPARSE_API int32_t ss_pack_masks(const Array<int32_t>* pairs, const Array<int32_t>* positive, const Array<int32_t>* negative,
                                      const Matrix<uint64_t>* masks, const Flags* allowed, const Ints* capacity, const Ints* left_positive,
                                      const Ints* left_negative, const Ints* load, int64_t enough, const Ints* multiplier,
                                      int64_t* answer) {
  return guarded([&] {
    require(load->size >= allowed->size && capacity->size >= allowed->size && multiplier->size >= pairs->size,
            "each literal needs a load and a capacity, each pair a multiplier");
    std::vector<uint64_t> words = in_words(*allowed);
    require(static_cast<int64_t>(words.size()) <= masks->columns, "the masks are not of these literals");
    *answer = pack_masks(*pairs, *positive, *negative, *masks, view(words), *capacity, *left_positive, *left_negative,
                         *load, enough, *multiplier);
  });
}

}  // extern "C"
