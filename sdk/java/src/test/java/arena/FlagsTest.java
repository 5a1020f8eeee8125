package arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlagsTest {
  private static Settings read(Map<String, String> environment, String... arguments)
      throws Exception {
    return Flags.read(List.of(arguments), environment).orElseThrow();
  }

  private static void assertWrong(String sentence, String... arguments) {
    var error = assertThrows(Flags.WrongUse.class, () -> read(Map.of(), arguments));
    assertEquals(sentence, error.getMessage());
    assertTrue(
        error.text().startsWith("usage: ") && error.text().endsWith("\nerror: " + sentence),
        error.text());
  }

  @Test
  void withoutFlagsTheUsualPlace() throws Exception {
    assertEquals(Settings.at("localhost:7700").build(), read(Map.of()));
  }

  @Test
  void aFlagWinsOverTheEnvironment() throws Exception {
    var environment =
        Map.of("REFEREE_SERVER", "there:2", "REFEREE_TOKEN", "t", "REFEREE_CONCURRENCY", "5");
    var settings = read(environment, "--server", "here:1", "--concurrency=7");
    assertEquals("here:1", settings.server());
    assertEquals("t", settings.token());
    assertEquals(7, settings.concurrency());
    assertEquals(5, read(environment).concurrency());
  }

  @Test
  void tlsInTheEnvironment() throws Exception {
    for (var off : List.of("", "0", "no", "OFF", "false")) {
      assertFalse(read(Map.of("REFEREE_TLS", off)).tls(), off);
    }
    assertTrue(read(Map.of("REFEREE_TLS", "1")).tls());
    assertTrue(read(Map.of(), "--tls").tls());
  }

  @Test
  void practice() throws Exception {
    var settings =
        read(
            Map.of(),
            "--practice",
            "flip7",
            "--against",
            "odds, random,",
            "--matches",
            "3",
            "--options",
            "{}");
    assertEquals(
        new Settings.Practice("flip7", List.of("odds", "random"), 3, "{}"), settings.practice());
  }

  @Test
  void helpIsNoError() throws Exception {
    assertTrue(Flags.read(List.of("--help"), Map.of()).isEmpty());
  }

  @Test
  void wrongUse(@TempDir Path folder) throws Exception {
    var key =
        Files.writeString(
            folder.resolve("key.pem"),
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    assertWrong("--frobnicate: there is no such flag; --help shows all of them", "--frobnicate");
    assertWrong("--conc: there is no such flag; did you mean --concurrency?", "--conc", "3");
    assertWrong("--serve: there is no such flag; did you mean --server?", "--serve=a:1");
    assertWrong("-tsl: there is no such flag; did you mean --tls?", "-tsl");
    assertWrong("'stray' belongs to no flag; --help shows all of them", "stray");
    assertWrong("--name: its value is missing; write --name NAME", "--name");
    assertWrong("--name: its value is missing; write --name NAME", "--name", "--quiet");
    assertWrong("--tls: it takes no value", "--tls=yes");
    assertWrong("--concurrency: 'many' is not a whole number", "--concurrency", "many");
    assertWrong("--matches: 1 is the least", "--practice", "flip7", "--matches", "0");
    assertWrong("--against goes with --practice GAME", "--against", "odds");
    assertWrong(
        "--server: 'nonsense' is not an address: write HOST:PORT or unix:PATH",
        "--server",
        "nonsense");
    assertWrong(
        "--server: 'http://a:1' is not an address: write HOST:PORT or unix:PATH",
        "--server",
        "http://a:1");
    for (var bad : List.of(":1", "a:", "a:0", "a:65536", "a:b", "::1:1", "a b:1", "unix:")) {
      assertWrong(
          "--server: '" + bad + "' is not an address: write HOST:PORT or unix:PATH",
          "--server",
          bad);
    }
    assertWrong("--token: it has characters that no token has; copy it again", "--token", "tökén");
    assertWrong(
        "--ca: there is no file " + folder.resolve("none"),
        "--ca",
        folder.resolve("none").toString());
    assertWrong("--ca: " + key + " holds no certificate (PEM)", "--ca", key.toString());
  }
}
