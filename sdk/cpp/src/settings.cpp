// How a bot connects and plays: flags and environment.
#include "arena/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>

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
  std::string Settings::* text = nullptr;  // where a text goes as it is
  bool Settings::* on = nullptr;           // what a flag without value switches on
};

constexpr Flag kFlags[] = {
    {"--server", "HOST:PORT", "REFEREE_SERVER", "where the referee listens, or unix:PATH (localhost:7700)",
     &Settings::server},
    {"--token", "TOKEN", "REFEREE_TOKEN", "the bot's token, from the host", &Settings::token},
    {"--name", "NAME", "REFEREE_NAME", "the bot's name, to have it checked against the token", &Settings::name},
    {"--concurrency", "N", "REFEREE_CONCURRENCY", "matches at once (16, or 1 where one object plays all)"},
    {"--tls", nullptr, "REFEREE_TLS", "the server speaks TLS", nullptr, &Settings::tls},
    {"--ca", "FILE", "REFEREE_CA", "certificate to trust, PEM; implies --tls", &Settings::ca},
    {"--practice", "GAME", nullptr, "play practice matches of this game, then stop"},
    {"--against", "BOT,…", nullptr, "who takes the other seats: house bots, or 'anyone'"},
    {"--matches", "N", nullptr, "how many practice matches (1)"},
    {"--options", "JSON", nullptr, "options of the practised game"},
    {"--record", "FILE", nullptr, "keep what the bot saw and answered, a JSON object per line", &Settings::record},
    {"--strict", nullptr, nullptr, "stop at the first error in decide", nullptr, &Settings::strict},
    {"--quiet", nullptr, nullptr, "print nothing but errors and warnings", nullptr, &Settings::quiet},
    {"--help", nullptr, nullptr, "or -h: all of this"},
};

// What was given for a flag, and what to name if it is wrong: the flag, or the variable that stands in for it.
struct Value {
  std::string text;
  std::string source;
};
using Given = std::map<std::string, Value>;

void put(Given& given, const Flag& flag, const std::string& text, const std::string& source) {
  if (!is_utf8(text)) throw WrongUse(source + ": '" + as_utf8(text) + "' is no text (UTF-8)");
  given[flag.name] = {text, source};
}

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
      put(given, *flag, "", name);
    } else if (equals != std::string::npos) {
      put(given, *flag, argument.substr(equals + 1), name);
    } else {
      const bool missing = place + 1 == arguments.size() || arguments[place + 1].starts_with("--");
      if (missing) throw WrongUse(name + ": its value is missing; write " + name + " " + flag->value);
      put(given, *flag, arguments[++place], name);
    }
  }
  return given;
}

bool is_on(const std::string& text) {
  const auto off = {"", "0", "no", "off", "false"};
  return std::find(off.begin(), off.end(), lower(text)) == off.end();
}

void add_environment(Given& given, const Environment& environment) {
  for (const Flag& flag : kFlags) {
    if (flag.variable == nullptr || given.contains(flag.name)) continue;
    const auto value = environment(flag.variable);
    if (!value || value->empty() || (flag.value == nullptr && !is_on(*value))) continue;
    put(given, flag, *value, flag.variable);
  }
}

unsigned whole_number(const Value& value, unsigned least) {
  const auto& [text, source] = value;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || text.size() > 9) throw WrongUse(source + ": '" + text + "' is not a whole number");
  const auto number = static_cast<unsigned>(std::stoul(text));
  if (number < least) throw WrongUse(source + ": " + std::to_string(least) + " is the least");
  return number;
}

bool is_address(const std::string& text) {
  if (text.starts_with("unix:")) return text != "unix:";
  static const std::regex kHostAndPort(R"((\[[^\]\[/\s]+\]|[^\]\[:/\s]+):([0-9]{1,5}))");
  std::smatch read;
  if (!std::regex_match(text, read, kHostAndPort)) return false;
  const int port = std::stoi(read[2]);
  return port > 0 && port < 65536;
}

bool is_token(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter > ' ' && letter < 127; });
}

std::optional<Practice> read_practice(const Given& given) {
  const auto value = [&](const char* flag) { return given.contains(flag) ? given.at(flag).text : ""; };
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
  if (given.contains("--matches")) practice.matches = whole_number(given.at("--matches"), 1);
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
  add_environment(given, environment);
  for (const Flag& flag : kFlags) {
    if (!given.contains(flag.name)) continue;
    if (flag.text != nullptr) settings.*flag.text = given.at(flag.name).text;
    if (flag.on != nullptr) settings.*flag.on = true;
  }
  if (!settings.ca.empty()) settings.tls = true;
  if (given.contains("--concurrency")) settings.concurrency = whole_number(given.at("--concurrency"), 0);
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
