package cairn.sharded;

import cairn.sharded.Identity.Refusal;
import com.alipay.sofa.jraft.rhea.storage.KVOperation;
import com.alipay.sofa.jraft.util.Endpoint;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A node of a sharded key-value store: RheaKV over RocksJava, with whichever library `java.library.path` has.
 *
 * <pre>
 * --id N               its number, of those in --members
 * --dir DIR            where its files are
 * --members LIST       1=HOST:PORT,2=HOST:PORT,3=HOST:PORT: where the nodes listen; Raft listens 1,000 above
 * --new                makes a new node in --dir, which has to be empty or absent
 * --join               with --new: it is in no region before POST /cluster/add
 * --split-keys N       a region with more keys is split; 0 (the default): none is
 * --check-every MS     how often regions and leaderships are looked at (1000)
 * --election MS        a follower stands for election after so long without its leader (1000)
 * </pre>
 *
 * Exit status: 1 wrong flags, 2 it must not start so (identity, disk, damaged files), 3 it cannot go on (its storage failed).
 */
final class Main {
    private static final int REFUSED = 2;
    private static final int STORAGE_FAILED = 3;
    private static final AtomicBoolean ending = new AtomicBoolean();
    /** (Kept: java.util.logging forgets the levels of loggers that nobody holds.) */
    private static final Logger LOG = Logger.getLogger("cairn");
    private static volatile String lastError = "";
    /** (Kept: a channel that nobody holds is closed, and gives up its lock.) */
    private static FileChannel held;

    private Main() {}

    public static void main(String[] words) {
        Map<String, String> flags;
        Members members;
        int id;
        try {
            flags = flags(words, List.of("id", "dir", "members", "split-keys", "check-every", "election"), List.of("new", "join"));
            members = Members.parse(flags.getOrDefault("members", ""));
            id = Integer.parseInt(flags.getOrDefault("id", "0"));
            if (!members.http().containsKey(id) || !flags.containsKey("dir")) {
                throw new IllegalArgumentException("--id has to be one of --members, and --dir has to be there");
            }
            flags.forEach((name, value) -> {
                if (List.of("split-keys", "check-every", "election").contains(name)) {
                    Long.parseLong(value);
                }
            });
        } catch (IllegalArgumentException error) {
            System.err.println("cairn-sharded: " + error.getMessage());
            System.exit(1);
            return;
        }
        rememberErrors();
        Path folder = Path.of(flags.get("dir")).toAbsolutePath();
        try {
            start(flags, members, id, folder);
        } catch (Refusal refusal) {
            end(REFUSED, refusal.getMessage());
        } catch (IOException error) {
            end(REFUSED, error.toString());
        } catch (RuntimeException error) {
            end(REFUSED, folder + ": " + error + (lastError.isEmpty() ? "" : ": " + lastError));
        }
    }

    private static void start(Map<String, String> flags, Members members, int id, Path folder) throws IOException {
        Identity identity;
        if (flags.containsKey("new")) {
            identity = Identity.create(folder, id, flags.containsKey("join"));
        } else {
            identity = Identity.load(folder, id);
        }
        checkMark(members, identity);
        if (flags.containsKey("new")) {
            identity.save(folder);
        }
        lock(folder);
        // A disk that cannot be written is better known before Raft begins.
        Path probe = folder.resolve("probe");
        Files.write(probe, new byte[] {1});
        Files.delete(probe);
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "http");
            thread.setDaemon(true);
            return thread;
        });
        Store store = new Store(Integer.parseInt(flags.getOrDefault("election", "1000")), identity.joins(),
            why -> end(STORAGE_FAILED, "node " + id + " stops, it cannot go on: " + why + (lastError.isEmpty() ? "" : ": " + lastError)));
        if (!store.open(folder, members, id)) {
            throw new Refusal(folder + ": it does not start: " + lastError);
        }
        Front front = new Front(store, members, threads);
        new Server(store, front, members, id).listen(threads);
        new Thread(() -> leaveMark(front, identity), "mark").start();
        new Thread(new Placement(store, front, members, id, Long.parseLong(flags.getOrDefault("split-keys", "0")),
            Long.parseLong(flags.getOrDefault("check-every", "1000"))), "placement").start();
        System.err.println("cairn-sharded: node " + id + " listens, library " + library());
    }

    /** Until this process ends; what a second one would do to the files comes after this. */
    private static void lock(Path folder) throws IOException {
        FileChannel file = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (file.tryLock() == null) {
            throw new Refusal(folder + ": another process runs on this directory");
        }
        held = file;
    }

    /** Which of the two has been loaded. */
    private static String library() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("rocksdbjni") && line.contains(".so")).map(line -> line.substring(line.indexOf('/')))
                .findFirst().orElse("unknown");
        }
    }

    /** The key under which the store knows by which directory a node is in it. */
    static byte[] markOf(int id) {
        return Wire.bytes("\0node/" + id);
    }

    private static void leaveMark(Front front, Identity identity) {
        byte[] key = markOf(identity.id());
        byte[] mark = Wire.bytes(identity.mark());
        while (true) {
            Front.Answer known = front.read(key, false);
            if (known.status() == 200) {
                if (!new String(known.body()).equals(identity.mark())) {
                    end(REFUSED, lost(identity.id()));
                }
                return;
            }
            if (known.status() == 404) {
                front.write(new Front.Write(key, KVOperation.createPut(key, mark), "POST",
                    "/cluster/mark?id=" + identity.id() + "&mark=" + identity.mark(), new byte[0]), false);
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException error) {
                return;
            }
        }
    }

    private static String lost(int id) {
        return "the others know node " + id + " by another directory: its files were lost, or this is a second node of that number. It must not "
            + "come back as if nothing had been: POST /cluster/forget?id=" + id + ", then start it with --new --join, then POST /cluster/add?id="
            + id;
    }

    /** Asks the others, before the node votes, whether they know it by another directory. */
    private static void checkMark(Members members, Identity identity) {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofMillis(500)).build();
        for (Map.Entry<Integer, Endpoint> member : members.http().entrySet()) {
            if (member.getKey() == identity.id()) {
                continue;
            }
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + member.getValue() + "/metrics")).timeout(Duration.ofSeconds(2)).build();
                JsonNode marks = new ObjectMapper().readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body()).path("marks");
                String known = marks.path(String.valueOf(identity.id())).asText("");
                if (!known.isEmpty() && !known.equals(identity.mark())) {
                    throw new Refusal(lost(identity.id()));
                }
            } catch (IOException error) {
                // Who does not answer knows nothing.
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    private static Map<String, String> flags(String[] words, List<String> known, List<String> switches) {
        Map<String, String> found = new HashMap<>();
        for (int at = 0; at < words.length; ++at) {
            String name = words[at].startsWith("--") ? words[at].substring(2) : "";
            if (switches.contains(name)) {
                found.put(name, "");
            } else if (known.contains(name) && at + 1 < words.length) {
                found.put(name, words[++at]);
            } else {
                throw new IllegalArgumentException("unknown flag, or one without its value: " + words[at]);
            }
        }
        return found;
    }

    /** JRaft says to its log alone why something failed: the last error is kept, to be said when the node ends. */
    private static void rememberErrors() {
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        LOG.setLevel(Level.INFO);
        root.addHandler(new Handler() {
            @Override
            public void publish(LogRecord record) {
                Throwable cause = record.getThrown();
                while (cause != null && cause.getCause() != null) {
                    cause = cause.getCause();
                }
                if (record.getLevel() == Level.SEVERE && (cause instanceof org.rocksdb.RocksDBException || lastError.isEmpty())) {
                    String message = new java.util.logging.SimpleFormatter().formatMessage(record);
                    lastError = cause != null ? cause.toString() : message.lines().findFirst().orElse("");
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }

    private static void end(int status, String words) {
        if (ending.compareAndSet(false, true)) {
            System.err.println("cairn-sharded: " + words.replace('\n', ' '));
            // In a thread of its own: exit() waits for hooks, and this thread may hold what they wait for.
            new Thread(() -> System.exit(status), "end").start();
        }
    }
}
