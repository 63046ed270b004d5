// The C functions of certificates, see `engine/certify/derivation.py`. A text is known by its
// address.
#include <algorithm>

#include "errors/box_proofs.hpp"
#include "errors/cover_proofs.hpp"
#include "kernel.hpp"

using namespace supersparse;

namespace {

Writer::Text& text_of(int64_t handle) { return *reinterpret_cast<Writer::Text*>(handle); }

}  // namespace

extern "C" {

SUPERSPARSE_API int32_t ss_new_text(int64_t* answer) {
  return guarded([&] { *answer = reinterpret_cast<int64_t>(new Writer::Text); });
}

SUPERSPARSE_API int32_t ss_free_text(int64_t text, int64_t* answer) {
  return guarded([&] {
    delete &text_of(text);
    *answer = 0;
  });
}

// Writes bytes; returns how many there are then.
SUPERSPARSE_API int32_t ss_append_text(int64_t text, const Array<uint8_t>* bytes, const Ints* at, int64_t* answer) {
  return guarded([&] {
    Writer out(text_of(text), *at);
    out.reserve(bytes->size);
    out.word({reinterpret_cast<const char*>(bytes->data), static_cast<size_t>(bytes->size)});
    *answer = out.size();
  });
}

// Copies what was written, and forgets it.
SUPERSPARSE_API int32_t ss_take_text(int64_t text, const Array<uint8_t>* to, const Ints* at, int64_t* answer) {
  return guarded([&] {
    require(to->size == (*at)[0] && to->size <= static_cast<int64_t>(text_of(text).size()), "a text has another length");
    std::copy_n(text_of(text).begin(), to->size, to->data);
    (*at)[0] = 0;
    *answer = to->size;
  });
}

SUPERSPARSE_API int32_t ss_close_by(const Facts* facts, const PlaceBounds* standing, const Combination* combination,
                                    const CoverTable* kept, int64_t text, const Ints* at, const Ints* bound,
                                    int64_t* answer) {
  return guarded([&] {
    require(combination->members.columns == 4 && combination->members.rows == combination->u.size, "a cover has four rows");
    Writer out(text_of(text), *at);
    const Closing closing = close_by(*facts, *standing, *combination, *kept, out);
    (*bound)[0] = closing.bound;
    *answer = closing.state;
  });
}

SUPERSPARSE_API int32_t ss_write_dropped(const Facts* facts, const PlaceBounds* standing, int64_t line, const Ints* reduced,
                                         int64_t text, const Ints* at, int64_t* answer) {
  return guarded([&] {
    Writer out(text_of(text), *at);
    write_dropped(*facts, *standing, line, *reduced, out);
    *answer = 0;
  });
}

// Puts the covers of a table into another one, which has room for them.
SUPERSPARSE_API int32_t ss_move_covers(const CoverTable* from, const CoverTable* to, int64_t* answer) {
  return guarded([&] {
    require(from->key.size < to->key.size, "the other table must be larger");
    for (int64_t t = 0; t < from->key.size; t++) {
      if (from->key[t] < 0) continue;
      const int64_t place = kept_place(to->key, from->key[t]);
      to->key[place] = from->key[t];
      to->line[place] = from->line[t];
    }
    *answer = 0;
  });
}

SUPERSPARSE_API int32_t ss_cells_of(const Ints* cell, const Matrix<int64_t>* x, const Ints* sign, const Ints* weight,
                                    int64_t is_free, const Cells* room, const Ints* counts, int64_t* answer) {
  return guarded([&] {
    const int64_t n = x->rows;
    require(cell->size == n && sign->size == n && weight->size == n && room->left.size == n, "each row has a cell");
    const CellCounts found = cells_of(*cell, *x, *sign, *weight, is_free != 0, *room);
    const int64_t all[] = {found.up, found.up_rows, found.down, found.down_rows, found.pairs, found.base};
    std::copy(std::begin(all), std::end(all), counts->begin());
    *answer = 0;
  });
}

// Fills the covers and returns how many there are.
SUPERSPARSE_API int32_t ss_in_rows(const Cells* cells, const Matrix<int64_t>* found, const Ints* u,
                                   const Matrix<int64_t>* members, const Ints* of_rows, int64_t* answer) {
  return guarded([&] {
    const RowCovers covers = in_rows(*cells, *found, *u);
    *answer = static_cast<int64_t>(covers.u.size());
    require(*answer <= members->rows && *answer <= of_rows->size, "there is too little room for the covers");
    std::copy(covers.members.begin(), covers.members.end(), members->data);
    std::copy(covers.u.begin(), covers.u.end(), of_rows->data);
  });
}

SUPERSPARSE_API int32_t ss_middle(int64_t a, int64_t b, int64_t* answer) {
  return guarded([&] { *answer = middle(a, b); });
}

SUPERSPARSE_API int32_t ss_prove_boxes(const Facts* facts, const PlaceBounds* standing, const SupportTask* support,
                                       int64_t single, const Matrix<int64_t>* frames, const Ints* depth,
                                       const CoverTable* kept, int64_t text, const Ints* at, int64_t enough_text,
                                       int64_t* answer) {
  return guarded([&] {
    Writer out(text_of(text), *at);
    *answer = prove_boxes(*facts, *standing, *support, single != 0, *frames, (*depth)[0], *kept, out, enough_text);
  });
}

}  // extern "C"
