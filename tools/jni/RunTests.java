// Runs one JUnit class and prints a line for each of its tests, and which native library RocksJava had:
// scripts/jni_tests.py starts one JVM of this for each class, so that one that dies takes no other along.
//
//   java ... RunTests CLASS
//
// TEST passed NAME | TEST failed NAME EXCEPTION: MESSAGE | TEST ignored NAME | LIBRARY PATH
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.rocksdb.RocksDB;

public final class RunTests {
  private static final class Printer extends RunListener {
    private final Set<Description> done = new HashSet<>();

    private static String nameOf(final Description description) {
      final String method = description.getMethodName();
      return (method == null ? "(class)" : method).replace(' ', '_');
    }

    @Override
    public void testFailure(final Failure failure) {
      // (A test may fail twice, the second time in its clean-up.)
      if (!done.add(failure.getDescription())) {
        return;
      }
      final String text = String.valueOf(failure.getException()).replaceAll("\\s+", " ");
      System.out.println("\nTEST failed " + nameOf(failure.getDescription()) + " " + text);
      failure.getException().printStackTrace();
    }

    @Override
    public void testAssumptionFailure(final Failure failure) {
      done.add(failure.getDescription());
      System.out.println("\nTEST ignored " + nameOf(failure.getDescription()));
    }

    @Override
    public void testIgnored(final Description description) {
      System.out.println("\nTEST ignored " + nameOf(description));
    }

    @Override
    public void testStarted(final Description description) {
      System.out.println("\nTEST started " + nameOf(description));
    }

    @Override
    public void testFinished(final Description description) {
      if (done.add(description)) {
        System.out.println("\nTEST passed " + nameOf(description));
      }
    }
  }

  public static void main(final String[] args) throws ClassNotFoundException, IOException {
    RocksDB.loadLibrary(); // some classes count on another one to have done it
    final JUnitCore core = new JUnitCore();
    core.addListener(new Printer());
    core.run(Class.forName(args[0]));
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      maps.filter(line -> line.contains("librocksdbjni")).map(line -> line.substring(line.indexOf('/')))
          .distinct().forEach(path -> System.out.println("\nLIBRARY " + path));
    }
    System.out.println("\nEND");
    System.out.flush();
    System.exit(0);
  }
}
