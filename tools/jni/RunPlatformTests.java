// Runs one test class on the JUnit Platform, JUnit 4's and 5's alike, and prints what RunTests does: scripts/kafka_tests.py starts one JVM
// of this for each class of Kafka Streams' tests. A class that opens no store has no LIBRARY.
//
//   java ... RunPlatformTests CLASS
//
// TEST passed NAME | TEST failed NAME EXCEPTION: MESSAGE | TEST ignored NAME | LIBRARY PATH
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

public final class RunPlatformTests {
  private static final class Printer implements TestExecutionListener {
    private final Map<String, String> names = new HashMap<>(); // by identity
    private final Set<String> taken = new HashSet<>();

    // The method, with the number of the run if it has several: names are the same in every run of the class.
    private String nameOf(final TestIdentifier test) {
      return names.computeIfAbsent(test.getUniqueId(), identity -> {
        final List<UniqueId.Segment> segments = UniqueId.parse(identity).getSegments();
        final UniqueId.Segment last = segments.get(segments.size() - 1);
        String name = last.getValue();
        if (last.getType().equals("class") || last.getType().equals("runner") || last.getType().equals("engine")) {
          name = "(class)";
        } else {
          if (last.getType().equals("test-template-invocation")) {
            name = segments.get(segments.size() - 2).getValue() + name;
          }
          name = name.replaceAll("\\([^()]*\\)", "").replaceAll("\\s+", "_");
        }
        String free = name;
        for (int number = 2; !taken.add(free); ++number) {
          free = name + "#" + number;
        }
        return free;
      });
    }

    @Override
    public void executionStarted(final TestIdentifier test) {
      if (test.isTest()) {
        System.out.println("\nTEST started " + nameOf(test));
      }
    }

    @Override
    public void executionSkipped(final TestIdentifier test, final String reason) {
      System.out.println("\nTEST ignored " + nameOf(test));
    }

    @Override
    public void executionFinished(final TestIdentifier test, final TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL:
          if (test.isTest()) {
            System.out.println("\nTEST passed " + nameOf(test));
          }
          break;
        case ABORTED:
          System.out.println("\nTEST ignored " + nameOf(test));
          break;
        default:
          final Throwable failure = result.getThrowable().orElse(null);
          System.out.println("\nTEST failed " + nameOf(test) + " " + String.valueOf(failure).replaceAll("\\s+", " "));
          if (failure != null) {
            failure.printStackTrace();
          }
      }
    }
  }

  public static void main(final String[] args) throws IOException {
    LauncherFactory.create().execute(
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(args[0])).build(), new Printer());
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      maps.filter(line -> line.contains("librocksdbjni")).map(line -> line.substring(line.indexOf('/')))
          .distinct().forEach(path -> System.out.println("\nLIBRARY " + path));
    }
    System.out.println("\nEND");
    System.out.flush();
    System.exit(0);
  }
}
