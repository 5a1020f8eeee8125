import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Takes the first legal move; the library minimal-json reads and writes the lines. */
public class Bot {
  public static void main(String[] words) throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonObject message = Json.parse(line).asObject();
      JsonValue legal = message.get("legal");
      if (legal != null) {
        JsonObject answer = Json.object().add("decision", message.get("decision")).add("move", legal.asArray().get(0));
        System.out.println(answer);
        System.out.flush();
      }
    }
  }
}
