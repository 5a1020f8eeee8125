package arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.games.flip7.v1.View;
import arena.v1.Decide;
import arena.v1.MatchStart;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a bot sees, and what is kept of it. */
class ViewsTest {
  private static Decision decision(String type, ByteString view) {
    var match =
        Match.of(MatchStart.newBuilder().setMatchId("m/1").setGame("g").setViewType(type).build());
    return new Decision(
        match, Decide.newBuilder().setDecision(4).addLegal("hit").setView(view).build(), "");
  }

  @Test
  void jsonIsAMap() {
    var view =
        decision("json", ByteString.copyFromUtf8("{\"answer\":\"größe\",\"more\":[1,2.5,{}]}"))
            .view(Map.class);
    assertEquals(Map.of("answer", "größe", "more", List.of(1L, 2.5, Map.of())), view);
  }

  @Test
  void aGameHasItsMessage() {
    var bytes = View.newBuilder().setRound(3).build().toByteString();
    assertEquals(3, decision("arena.games.flip7.v1.View", bytes).view(View.class).getRound());
    assertThrows(
        UnknownViewException.class,
        () -> decision("arena.games.flip7.v1.View", bytes).view(Map.class));
  }

  @Test
  void whatCannotBeReadSaysWhatToDoInstead() {
    var unknown =
        assertThrows(
            UnknownViewException.class, () -> decision("chess.v1.View", ByteString.EMPTY).view());
    assertTrue(
        unknown.getMessage().contains("decision.legal()")
            && unknown.getMessage().contains("viewBytes()"));
    var broken = ByteString.copyFrom(new byte[] {-1, -1, -1});
    assertThrows(
        UnknownViewException.class, () -> decision("arena.games.stop.v1.View", broken).view());
    assertThrows(
        UnknownViewException.class, () -> decision("json", ByteString.copyFromUtf8("{")).view());
    assertThrows(UnknownViewException.class, () -> decision("json", ByteString.EMPTY).view());
  }

  @Test
  void optionsThatCannotBeReadLoseNoMatch() {
    assertEquals(
        Map.of("rules", "faq", "target", 20L), Views.options("{\"rules\":\"faq\",\"target\":20}"));
    assertEquals(Map.of(), Views.options("]"));
  }

  private static JsonObject recorded(Path file, int line) throws Exception {
    return JsonParser.parseString(Files.readAllLines(file).get(line)).getAsJsonObject();
  }

  @Test
  void theRecordHasTheNamesOfTheProtocolAndZeroFields(@TempDir Path folder) throws Exception {
    var file = folder.resolve("record.jsonl");
    try (var recording = new Recording(file)) {
      recording.note("start", MatchStart.newBuilder().setMatchId("m/1").build());
      var view = View.newBuilder().setRound(3).build().toByteString();
      recording.decided(decision("arena.games.flip7.v1.View", view), "hit", Duration.ofMillis(2));
      recording.decided(
          decision("chess.v1.View", ByteString.copyFrom(new byte[] {8, 1})),
          "e4",
          Duration.ofMillis(2));
    }
    assertEquals("start", recorded(file, 0).get("type").getAsString());
    assertEquals(0, recorded(file, 0).get("game_version").getAsInt());
    var decided = recorded(file, 1);
    assertEquals(0, decided.getAsJsonObject("view").get("pile_size").getAsInt());
    assertEquals(2.0, decided.get("ms").getAsDouble());
    assertTrue(
        decided
            .keySet()
            .containsAll(List.of("time", "match", "game", "decision", "seat", "legal", "move")));
    assertEquals("0801", recorded(file, 2).get("view").getAsString());
  }

  @Test
  void aRecordThatCannotBeWrittenSaysWhy(@TempDir Path folder) {
    var file = folder.resolve("none").resolve("record.jsonl");
    var error = assertThrows(ArenaException.class, () -> new Recording(file).close());
    assertEquals("cannot record to " + file + ": No such file or directory", error.getMessage());
    assertEquals(3, error.code());
  }
}
