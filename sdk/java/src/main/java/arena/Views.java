package arena;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.ToNumberPolicy;
import com.google.gson.reflect.TypeToken;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.util.Map;

/**
 * From the bytes of a view to what a bot looks at: a typed message, or a map for a game that shows
 * JSON.
 */
final class Views {
  private static final String JSON = "json";
  private static final String INSTEAD =
      "; play from decision.legal(), or read decision.viewBytes()";

  private Views() {}

  /** A view from its bytes. */
  static Object read(String type, ByteString bytes) {
    try {
      return type.equals(JSON) ? Json.read(bytes.toStringUtf8()) : parser(type).parseFrom(bytes);
    } catch (InvalidProtocolBufferException | JsonParseException error) {
      throw new UnknownViewException(
          "these bytes are no view of the type '" + type + "'" + INSTEAD);
    }
  }

  /** The options of a game. */
  static Map<String, Object> options(String json) {
    return json.isEmpty() || json.equals("{}") ? Map.of() : Json.options(json);
  }

  private static Parser<?> parser(String type) {
    return switch (type) {
      case "arena.games.encore.v1.View" -> arena.games.encore.v1.View.parser();
      case "arena.games.flip7.v1.View" -> arena.games.flip7.v1.View.parser();
      case "arena.games.stop.v1.View" -> arena.games.stop.v1.View.parser();
      case "arena.games.stop_me_go.v1.View" -> arena.games.stop_me_go.v1.View.parser();
      default ->
          throw new UnknownViewException(
              "this SDK does not know the view '" + type + "'" + INSTEAD);
    };
  }

  /** In a class of its own, so that a bot that meets no JSON does not load it. */
  private static final class Json {
    private static final Gson GSON =
        new GsonBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create();

    static Object read(String text) {
      var value = GSON.fromJson(text, Object.class);
      if (value == null) {
        throw new JsonParseException("nothing there");
      }
      return value;
    }

    static Map<String, Object> options(String text) {
      try {
        return GSON.fromJson(text, new TypeToken<Map<String, Object>>() {});
      } catch (JsonParseException unreadable) {
        return Map.of(); // no reason to lose a match
      }
    }
  }
}
