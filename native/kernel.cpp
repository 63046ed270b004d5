#include "kernel.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include "api.h"

namespace supersparse {
namespace {

thread_local std::string message;

}  // namespace

int32_t guarded(const std::function<void()>& body) {
  try {
    body();
    return SS_OK;
  } catch (const std::invalid_argument& error) {
    message = error.what();
    return SS_INVALID;
  } catch (const std::bad_alloc&) {
    message = "out of memory";
    return SS_MEMORY;
  } catch (const std::exception& error) {
    message = error.what();
    return SS_FAILED;
  } catch (...) {
    message = "unknown failure";
    return SS_FAILED;
  }
}

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

const char* last_message() { return message.c_str(); }

}  // namespace supersparse
