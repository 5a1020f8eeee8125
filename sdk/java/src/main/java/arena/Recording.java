package arena;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;

/**
 * {@code --record FILE}: what a bot saw and answered, a JSON object per line, written as it
 * happens.
 */
final class Recording implements AutoCloseable {
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
  private static final JsonFormat.Printer MESSAGES =
      JsonFormat.printer()
          .preservingProtoFieldNames()
          .alwaysPrintFieldsWithNoPresence()
          .omittingInsignificantWhitespace();

  private final Path path;
  private final OutputStream file;

  Recording(Path path) throws ArenaException {
    this.path = path;
    try {
      this.file = new FileOutputStream(path.toFile(), true);
    } catch (IOException error) {
      throw failed(error);
    }
  }

  /** A question and the bot's answer. */
  void decided(Decision decision, String move, Duration took) throws ArenaException {
    var line = line("decide");
    line.addProperty("match", decision.match());
    line.addProperty("game", decision.game());
    line.addProperty("decision", decision.number());
    line.addProperty("seat", decision.seat());
    var legal = new JsonArray();
    decision.legal().forEach(legal::add);
    line.add("legal", legal);
    line.add("view", view(decision));
    line.addProperty("move", move);
    line.addProperty("ms", took.toNanos() / 1000 / 1000.0);
    write(line);
  }

  /** Any other message of the referee. */
  void note(String type, MessageOrBuilder message) throws ArenaException {
    var line = line(type);
    json(message)
        .getAsJsonObject()
        .entrySet()
        .forEach(field -> line.add(field.getKey(), field.getValue()));
    write(line);
  }

  @Override
  public synchronized void close() {
    try {
      file.close();
    } catch (IOException told) {
      return; // what could not be written has been told
    }
  }

  private static JsonObject line(String type) {
    var line = new JsonObject();
    line.addProperty("time", BigDecimal.valueOf(System.currentTimeMillis(), 3));
    line.addProperty("type", type);
    return line;
  }

  /** The view as JSON, or its bytes in hex where it cannot be read. */
  private static JsonElement view(Decision decision) {
    try {
      return decision.view() instanceof MessageOrBuilder message
          ? json(message)
          : GSON.toJsonTree(decision.view());
    } catch (UnknownViewException unreadable) {
      return new JsonPrimitive(HexFormat.of().formatHex(decision.viewBytes().toByteArray()));
    }
  }

  private static JsonElement json(MessageOrBuilder message) {
    try {
      return JsonParser.parseString(MESSAGES.print(message));
    } catch (InvalidProtocolBufferException impossible) {
      throw new IllegalStateException(impossible); // only google.protobuf.Any cannot be printed
    }
  }

  private synchronized void write(JsonObject line) throws ArenaException {
    try {
      file.write((GSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw failed(error);
    }
  }

  /** Java says "PATH (No such file or directory)". */
  private ArenaException failed(IOException error) {
    var text = String.valueOf(error.getMessage());
    var why =
        text.endsWith(")") && text.contains(" (")
            ? text.substring(text.lastIndexOf(" (") + 2, text.length() - 1)
            : text;
    return new ArenaException(ArenaException.GONE, "cannot record to " + path + ": " + why);
  }
}
