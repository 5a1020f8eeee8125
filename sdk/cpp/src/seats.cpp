// The bot's matches: who plays in each, and the question before it.
#include "seats.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "desk.hpp"
#include "text.hpp"

namespace arena {

namespace {

std::string readable_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free);
  return name ? name.get() : type.name();
}

}  // namespace

std::string attempt(const std::function<void()>& code) {
  try {
    code();
    return "";
  } catch (const std::exception& error) {
    return readable_name(typeid(error)) + ": " + as_utf8(error.what());
  } catch (...) {
    return "something was thrown that is no std::exception";
  }
}

Thought think(Bot& bot, const Decision& decision) {
  Thought thought;
  const auto began = Clock::now();
  thought.error = attempt([&] { thought.move = bot.decide(decision); });
  thought.took = Clock::now() - began;
  if (thought.error.empty() && !is_utf8(thought.move)) {
    const std::string example = decision.legal().empty() ? "pass" : decision.legal().front();
    thought.error =
        "decide returned '" + as_utf8(thought.move) + "'; a move is a text (UTF-8) such as '" + example + "'";
  }
  return thought;
}

}  // namespace arena
