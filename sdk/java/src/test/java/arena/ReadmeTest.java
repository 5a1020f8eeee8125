package arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every Java program in the README compiles, without a warning. */
class ReadmeTest {
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("public (?:final )?class (\\w+)");

  @Test
  void everyProgramCompiles(@TempDir Path folder) throws Exception {
    var files = new ArrayList<String>();
    var blocks = BLOCK.matcher(Files.readString(Path.of("README.md")));
    while (blocks.find()) {
      var name = NAME.matcher(blocks.group(1));
      assertEquals(true, name.find(), "a program without a public class:\n" + blocks.group(1));
      files.add(
          Files.writeString(folder.resolve(name.group(1) + ".java"), blocks.group(1)).toString());
    }
    assertFalse(files.isEmpty());
    var arguments =
        new ArrayList<>(List.of("--release", "17", "-Xlint:all", "-Werror", "-proc:none"));
    arguments.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "-d", folder.toString()));
    arguments.addAll(files);
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new)));
  }
}
