// Flags and environment: what is read, what wins, and the sentences about what is wrong.
#include <gtest/gtest.h>
#include <arena/arena.hpp>

#include <map>

namespace arena::test {
namespace {

using Words = std::vector<std::string>;

Settings read(const Words& words, const std::map<std::string, std::string>& variables = {}, Settings defaults = {}) {
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  return read_settings(words, environment, std::move(defaults));
}

std::string complaint(const Words& words, const std::map<std::string, std::string>& variables = {}) {
  try {
    read(words, variables);
    return "";
  } catch (const WrongUse& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.what();
  }
}

TEST(Settings, WithoutAnythingTheDefaultsHold) {
  const auto settings = read({});
  EXPECT_EQ(settings.server, "localhost:7700");
  EXPECT_EQ(settings.concurrency, 0u);
  EXPECT_FALSE(settings.tls);
  EXPECT_FALSE(settings.practice);
}

TEST(Settings, FlagsAreWrittenInTwoWaysAndWin) {
  const auto settings = read({"--server", "a:1", "--name=x=y"}, {{"REFEREE_SERVER", "b:2"}, {"REFEREE_TOKEN", " t\n"}});
  EXPECT_EQ(settings.server, "a:1");
  EXPECT_EQ(settings.name, "x=y");
  EXPECT_EQ(settings.token, "t");
}

TEST(Settings, TheEnvironmentWinsOverTheProgram) {
  Settings defaults;
  defaults.name = "mine";
  defaults.games = {"flip7"};
  const auto settings = read({}, {{"REFEREE_NAME", "other"}}, defaults);
  EXPECT_EQ(settings.name, "other");
  EXPECT_EQ(settings.games, Words{"flip7"});
}

TEST(Settings, TlsIsOffWhenTheVariableSaysSo) {
  for (const char* off : {"", "0", "no", "OFF", "False"}) EXPECT_FALSE(read({}, {{"REFEREE_TLS", off}}).tls) << off;
  for (const char* on : {"1", "yes"}) EXPECT_TRUE(read({}, {{"REFEREE_TLS", on}}).tls) << on;
}

TEST(Settings, PracticeIsReadWhole) {
  const auto settings =
      read({"--practice", "flip7", "--against", "odds, random,", "--matches", "3", "--options", "{}"});
  ASSERT_TRUE(settings.practice);
  EXPECT_EQ(settings.practice->game, "flip7");
  EXPECT_EQ(settings.practice->against, (Words{"odds", "random"}));
  EXPECT_EQ(settings.practice->matches, 3u);
  EXPECT_EQ(settings.practice->options_json, "{}");
}

TEST(Settings, MistakesAreToldInSentences) {
  EXPECT_EQ(complaint({"--frobnicate"}), "--frobnicate: there is no such flag; --help shows all of them");
  EXPECT_EQ(complaint({"--conc", "3"}), "--conc: there is no such flag; did you mean --concurrency?");
  EXPECT_EQ(complaint({"--serve=a:1"}), "--serve: there is no such flag; did you mean --server?");
  EXPECT_EQ(complaint({"-tsl"}), "-tsl: there is no such flag; did you mean --tls?");
  EXPECT_EQ(complaint({"--xx"}), "--xx: there is no such flag; --help shows all of them");
  EXPECT_EQ(complaint({"stray"}), "'stray' belongs to no flag; --help shows all of them");
  EXPECT_EQ(complaint({"--name"}), "--name: its value is missing; write --name NAME");
  EXPECT_EQ(complaint({"--name", "--quiet"}), "--name: its value is missing; write --name NAME");
  EXPECT_EQ(complaint({"--tls=yes"}), "--tls: it takes no value");
  EXPECT_EQ(complaint({"--concurrency", "-1"}), "--concurrency: '-1' is not a whole number");
  EXPECT_EQ(complaint({}, {{"REFEREE_CONCURRENCY", "many"}}), "REFEREE_CONCURRENCY: 'many' is not a whole number");
  EXPECT_EQ(complaint({"--practice", "x", "--matches", "0"}), "--matches: 1 is the least");
  EXPECT_EQ(complaint({"--server", "nonsense"}), "--server: 'nonsense' is not an address: write HOST:PORT or unix:PATH");
  EXPECT_EQ(complaint({"--server", "http://a:1"}),
            "--server: 'http://a:1' is not an address: write HOST:PORT or unix:PATH");
  for (const std::string bad : {":1", "a:", "a:0", "a:65536", "a:b", "::1:1", "a b:1", "unix:"}) {
    EXPECT_EQ(complaint({"--server", bad}), "--server: '" + bad + "' is not an address: write HOST:PORT or unix:PATH");
  }
  EXPECT_NO_THROW(read({"--server", "[::1]:7700"}));
  EXPECT_EQ(complaint({"--token", "a b"}), "--token: it has characters that no token has; copy it again");
  EXPECT_EQ(complaint({"--against", "odds"}), "--against goes with --practice GAME");
  EXPECT_EQ(complaint({"--ca", "/nowhere.pem"}), "--ca: there is no file /nowhere.pem");
  EXPECT_EQ(complaint({"--ca", __FILE__}), std::string("--ca: ") + __FILE__ + " holds no certificate (PEM)");
  EXPECT_EQ(complaint({"--name", "\xff"}), "--name: '\xEF\xBF\xBD' is no text (UTF-8)");
}

TEST(Settings, HelpTellsAllFlags) {
  EXPECT_TRUE(read({"--help"}).help);
  for (const char* flag : {"--server", "--ca", "--record", "REFEREE_TOKEN"}) {
    EXPECT_NE(help_text("bot").find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace arena::test
