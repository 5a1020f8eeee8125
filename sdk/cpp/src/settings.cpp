// How a bot connects and plays: flags and environment.
#include "arena/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

#include "arena/errors.hpp"
#include "certificates.hpp"
#include "spelling.hpp"
#include "text.hpp"

namespace arena {

namespace {

struct Flag {
  const char* name;
  const char* value;     // what its value is called; null: it has none
  const char* variable;  // of the environment; null: there is none
  const char* meaning;
};

constexpr Flag kFlags[] = {
    {"--server", "HOST:PORT", "REFEREE_SERVER", "where the referee listens, or unix:PATH (localhost:7700)"},
    {"--token", "TOKEN", "REFEREE_TOKEN", "the bot's token, from the host"},
    {"--name", "NAME", "REFEREE_NAME", "the bot's name, to have it checked against the token"},
    {"--concurrency", "N", "REFEREE_CONCURRENCY", "matches at once (16, or 1 where one object plays all)"},
    {"--tls", nullptr, "REFEREE_TLS", "the server speaks TLS"},
    {"--ca", "FILE", "REFEREE_CA", "certificate to trust, PEM; implies --tls"},
    {"--practice", "GAME", nullptr, "play practice matches of this game, then stop"},
    {"--against", "BOT,…", nullptr, "who takes the other seats: house bots, or 'anyone'"},
    {"--matches", "N", nullptr, "how many practice matches (1)"},
    {"--options", "JSON", nullptr, "options of the practised game"},
    {"--record", "FILE", nullptr, "keep what the bot saw and answered, a JSON object per line"},
    {"--strict", nullptr, nullptr, "stop at the first error in decide"},
    {"--quiet", nullptr, nullptr, "print nothing but errors and warnings"},
    {"--help", nullptr, nullptr, "or -h: all of this"},
};

using Given = std::map<std::string, std::string>;

const Flag* find_flag(const std::string& name) {
  const auto* found = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return f.name == name; });
  return found == std::end(kFlags) ? nullptr : found;
}

std::string unknown(const std::string& word) {
  if (!word.starts_with('-')) return "'" + as_utf8(word) + "' belongs to no flag; --help shows all of them";
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const Flag& known : kFlags) names.emplace_back(known.name);
  const std::string near = meant(flag, names);
  return as_utf8(flag) + ": there is no such flag; " +
         (near.empty() ? "--help shows all of them" : "did you mean " + near + "?");
}

Given parse(const std::vector<std::string>& arguments) {
  Given given;
  for (std::size_t place = 0; place < arguments.size(); ++place) {
    const std::string& argument = arguments[place];
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const Flag* flag = find_flag(name);
    if (flag == nullptr) throw WrongUse(unknown(argument));
    if (flag->value == nullptr) {
      if (equals != std::string::npos) throw WrongUse(name + ": it takes no value");
      given[name] = "1";
    } else if (equals != std::string::npos) {
      given[name] = argument.substr(equals + 1);
    } else {
      const bool missing = place + 1 == arguments.size() || arguments[place + 1].starts_with("--");
      if (missing) throw WrongUse(name + ": its value is missing; write " + name + " " + flag->value);
      given[name] = arguments[++place];
    }
    if (!is_utf8(given[name])) throw WrongUse(name + ": '" + as_utf8(given[name]) + "' is no text (UTF-8)");
  }
  return given;
}

bool is_on(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return !(text.empty() || text == "0" || text == "no" || text == "off" || text == "false");
}

void add_environment(Given& given, const Environment& environment) {
  for (const Flag& flag : kFlags) {
    if (flag.variable == nullptr || given.contains(flag.name)) continue;
    const auto value = environment(flag.variable);
    if (!value || value->empty() || (flag.value == nullptr && !is_on(*value))) continue;
    if (!is_utf8(*value)) throw WrongUse(std::string(flag.variable) + ": '" + as_utf8(*value) + "' is no text (UTF-8)");
    given[flag.name] = *value;
  }
}

unsigned whole_number(const std::string& flag, const std::string& text, unsigned least) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || text.size() > 9) throw WrongUse(flag + ": '" + text + "' is not a whole number");
  const auto number = static_cast<unsigned>(std::stoul(text));
  if (number < least) throw WrongUse(flag + ": " + std::to_string(least) + " is the least");
  return number;
}

bool is_address(const std::string& text) {
  if (text.starts_with("http:") || text.starts_with("https:")) return false;
  const auto first = text.find_first_not_of(':');
  const auto last = text.find_last_not_of(':');
  return first != std::string::npos && text.substr(first, last - first + 1).find(':') != std::string::npos;
}

bool is_token(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter > ' ' && letter < 127; });
}

std::optional<Practice> read_practice(const Given& given) {
  const auto value = [&](const char* flag) { return given.contains(flag) ? given.at(flag) : std::string(); };
  if (value("--practice").empty()) {
    for (const char* flag : {"--against", "--matches", "--options"}) {
      if (given.contains(flag)) throw WrongUse(std::string(flag) + " goes with --practice GAME");
    }
    return std::nullopt;
  }
  Practice practice;
  practice.game = value("--practice");
  for (const auto& name : split(value("--against"), ',')) {
    if (!trimmed(name).empty()) practice.against.emplace_back(trimmed(name));
  }
  if (given.contains("--matches")) practice.matches = whole_number("--matches", value("--matches"), 1);
  practice.options_json = value("--options");
  return practice;
}

void read_patience(const Environment& environment, Settings& settings) {
  const auto text = environment("REFEREE_PATIENCE");
  if (!text || text->empty()) return;
  char* end = nullptr;
  const double seconds = std::strtod(text->c_str(), &end);
  if (*end != '\0' || !std::isfinite(seconds) || seconds < 0) {
    throw WrongUse("REFEREE_PATIENCE: '" + as_utf8(*text) + "' is no number of seconds");
  }
  settings.patience = settings.first_patience = std::chrono::duration<double>(seconds);
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Settings read_settings(const std::vector<std::string>& arguments, const Environment& environment, Settings settings) {
  if (std::any_of(arguments.begin(), arguments.end(), [](const auto& word) { return word == "--help" || word == "-h"; })) {
    settings.help = true;
    return settings;
  }
  Given given = parse(arguments);
  const char* concurrency = given.contains("--concurrency") ? "--concurrency" : "REFEREE_CONCURRENCY";
  add_environment(given, environment);
  const auto take = [&](const char* flag, std::string& into) {
    if (given.contains(flag)) into = given.at(flag);
  };
  take("--server", settings.server);
  take("--token", settings.token);
  take("--name", settings.name);
  take("--ca", settings.ca);
  take("--record", settings.record);
  if (given.contains("--concurrency")) {
    settings.concurrency = whole_number(concurrency, given.at("--concurrency"), 0);
  }
  settings.tls = settings.tls || given.contains("--tls") || !settings.ca.empty();
  settings.strict = settings.strict || given.contains("--strict");
  settings.quiet = settings.quiet || given.contains("--quiet");
  if (auto practice = read_practice(given)) settings.practice = std::move(practice);
  read_patience(environment, settings);

  settings.token = trimmed(settings.token);
  if (!is_address(settings.server)) {
    throw WrongUse("--server: '" + settings.server + "' is not an address: write HOST:PORT or unix:PATH");
  }
  if (!is_token(settings.token)) throw WrongUse("--token: it has characters that no token has; copy it again");
  if (!settings.ca.empty()) read_certificates(settings.ca);
  return settings;
}

std::string usage_line(const std::string& program) {
  return "usage: " + program + " [--server HOST:PORT] [--token TOKEN] [--practice GAME --against BOT,…] [--help]";
}

std::string help_text(const std::string& program) {
  std::string text = usage_line(program) + "\n\nA bot for a Referee server.\n\n";
  for (const Flag& flag : kFlags) {
    std::string left = std::string("  ") + flag.name + (flag.value == nullptr ? "" : std::string(" ") + flag.value);
    const std::size_t letters = static_cast<std::size_t>(
        std::count_if(left.begin(), left.end(), [](char letter) { return (letter & 0xC0) != 0x80; }));
    left.append(letters < 26 ? 26 - letters : 1, ' ');
    text += left + flag.meaning + (flag.variable == nullptr ? "" : std::string(" [") + flag.variable + "]") + "\n";
  }
  return text + "\nA flag is written --flag VALUE or --flag=VALUE; it wins over the variable in brackets.\n";
}

}  // namespace arena
