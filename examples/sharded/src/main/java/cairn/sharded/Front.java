package cairn.sharded;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rhea.RegionEngine;
import com.alipay.sofa.jraft.rhea.storage.BaseKVStoreClosure;
import com.alipay.sofa.jraft.rhea.storage.KVEntry;
import com.alipay.sofa.jraft.rhea.storage.KVOperation;
import com.alipay.sofa.jraft.rhea.storage.KVStoreClosure;
import com.alipay.sofa.jraft.rhea.storage.Sequence;
import com.alipay.sofa.jraft.rhea.util.Pair;
import com.alipay.sofa.jraft.util.BytesUtil;
import com.alipay.sofa.jraft.util.Endpoint;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Reads and writes by any node: what another one leads is sent there. Threads that call this wait.
 *
 * Reads are linearizable, and any replica answers: Raft's read index says how far it has to have applied the region's log, and afterwards the
 * region must still have the key, or else the one that has it is asked.
 */
final class Front {
    static final String FORWARDED = "x-forwarded";
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long APPLIED_WITHIN = 5;    // seconds, after which the outcome is unknown

    /** Those below RheaKV keeps for regions that are configured. */
    private static final long FIRST_NUMBER = 1_000_000;

    private final Store store;
    private final Members members;
    private final ExecutorService threads;
    private final HttpClient client;

    Front(Store store, Members members, ExecutorService threads) {
        this.store = store;
        this.members = members;
        this.threads = threads;
        this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofMillis(500)).build();
    }

    /** An answer in HTTP's words. 503: nothing was done. 504: it may or may not have been done. */
    record Answer(int status, byte[] body) {
        static Answer of(int status, String words) {
            return new Answer(status, words.isEmpty() ? new byte[0] : (words + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static final Answer LATER = Answer.of(503, "no leader is known");

    /** What a write asks for, and how it is sent on. */
    record Write(byte[] key, KVOperation op, String method, String path, byte[] body) {}

    Answer write(Write write, boolean forwarded) {
        long end = System.nanoTime() + PATIENCE;
        while (true) {
            Answer answer = writeOnce(write, forwarded);
            if (answer.status != 503 || forwarded || System.nanoTime() > end) {
                return answer;
            }
            pause();
        }
    }

    private Answer writeOnce(Write write, boolean forwarded) {
        RegionEngine region = store.regionOf(write.key);
        if (region == null) {
            return LATER;
        }
        if (region.isLeader()) {
            Outcome outcome = applied(closure -> Store.apply(region, write.op, closure));
            if (outcome.status == null) {
                return Answer.of(504, "the write may or may not happen: not applied yet");
            }
            if (outcome.status.isOk()) {
                boolean differs = write.op.getOp() == KVOperation.COMPARE_PUT && !Boolean.TRUE.equals(outcome.data);
                return differs ? Answer.of(412, "the value differs") : Answer.of(204, "");
            }
            return failed(outcome.status);
        }
        if (forwarded) {
            return LATER;
        }
        return forward(members.of(region.getLeaderId()), write.method, write.path, write.body);
    }

    /** A failed write: done by nobody, or unknown. */
    private static Answer failed(Status status) {
        boolean undone = status.getCode() == RegionMachine.MOVED || status.getCode() == RaftError.EBUSY.getNumber();
        return undone ? LATER : Answer.of(504, "the write may or may not happen: " + status.getErrorMsg());
    }

    private record Outcome(Status status, Object data) {}

    /** Its status is null if there was none in time. */
    private static Outcome applied(Consumer<BaseKVStoreClosure> start) {
        CompletableFuture<Outcome> future = new CompletableFuture<>();
        start.accept(new BaseKVStoreClosure() {
            @Override
            public void run(Status status) {
                future.complete(new Outcome(status, getData()));
            }
        });
        try {
            return future.get(APPLIED_WITHIN, TimeUnit.SECONDS);
        } catch (TimeoutException error) {
            return new Outcome(null, null);
        } catch (InterruptedException | ExecutionException error) {
            throw new IllegalStateException(error);
        }
    }

    private Answer forward(int to, String method, String path, byte[] body) {
        if (to == 0) {
            return LATER;
        }
        Endpoint other = members.http().get(to);
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + other + path)).timeout(Duration.ofSeconds(APPLIED_WITHIN + 1))
            .header(FORWARDED, "1").method(method, HttpRequest.BodyPublishers.ofByteArray(body)).build();
        try {
            HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return new Answer(answer.statusCode(), answer.body());
        } catch (ConnectException error) {
            return Answer.of(503, "node " + to + " leads, and cannot be reached");
        } catch (IOException error) {
            // (A connection that was not made in time was not made.)
            boolean unsent = error instanceof java.net.http.HttpConnectTimeoutException;
            return Answer.of(unsent ? 503 : 504, "the write may or may not happen: sent to node " + to + ", " + error.getMessage());
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Many pairs, in no order, not at once: a region's are. 204: all are written. */
    Answer writeBatch(List<KVEntry> pairs, boolean forwarded) {
        long end = System.nanoTime() + PATIENCE;
        List<KVEntry> left = pairs;
        while (true) {
            Map<RegionEngine, List<KVEntry>> parts = new HashMap<>();
            for (KVEntry pair : left) {
                RegionEngine region = store.regionOf(pair.getKey());
                if (region == null) {
                    return LATER;
                }
                parts.computeIfAbsent(region, none -> new ArrayList<>()).add(pair);
            }
            Map<RegionEngine, CompletableFuture<Answer>> answers = new HashMap<>();
            parts.forEach((region, part) ->
                answers.put(region, CompletableFuture.supplyAsync(() -> writePart(region, part, forwarded), threads)));
            List<KVEntry> again = new ArrayList<>();
            for (Map.Entry<RegionEngine, CompletableFuture<Answer>> entry : answers.entrySet()) {
                Answer answer = entry.getValue().join();
                if (answer.status == 503) {
                    again.addAll(parts.get(entry.getKey()));
                } else if (answer.status != 204) {
                    return answer;
                }
            }
            if (again.isEmpty()) {
                return Answer.of(204, "");
            }
            if (forwarded || System.nanoTime() > end) {
                // (Other parts may have been written: they are puts, which can be done twice.)
                return LATER;
            }
            left = again;
            pause();
        }
    }

    private Answer writePart(RegionEngine region, List<KVEntry> part, boolean forwarded) {
        if (region.isLeader()) {
            Outcome outcome = applied(closure -> Store.apply(region, KVOperation.createPutList(part), closure));
            if (outcome.status == null) {
                return Answer.of(504, "the writes may or may not happen: not applied yet");
            }
            return outcome.status.isOk() ? Answer.of(204, "") : failed(outcome.status);
        }
        return forwarded ? LATER : forward(members.of(region.getLeaderId()), "POST", "/batch", Wire.pairs(part));
    }

    Answer read(byte[] key, boolean stale) {
        long end = System.nanoTime() + PATIENCE;
        do {
            RegionEngine region = store.regionOf(key);
            if (region != null) {
                Outcome outcome = applied(closure -> region.getRaftRawKVStore().get(key, !stale, closure));
                if (outcome.status != null && outcome.status.isOk() && (stale || store.has(region, key))) {
                    byte[] value = (byte[]) outcome.data;
                    return value == null ? Answer.of(404, "no such key") : new Answer(200, value);
                }
            }
            pause();
        } while (System.nanoTime() < end);
        return LATER;
    }

    /** Pairs from `from` on whose keys begin with `prefix`: at most `limit`, some if there are any. Null: nobody answers. */
    List<Pair<byte[], byte[]>> scan(byte[] prefix, byte[] from, int limit, boolean stale) {
        byte[] at = BytesUtil.compare(from, prefix) < 0 ? prefix : from;
        byte[] last = Wire.behind(prefix);
        long end = System.nanoTime() + PATIENCE;
        List<Pair<byte[], byte[]>> found = new ArrayList<>();
        while (System.nanoTime() < end) {
            byte[] start = at;
            RegionEngine region = store.regionOf(start);
            Range range = region == null ? null : store.rangeOf(region);
            if (range == null || !range.has(start)) {
                pause();
                continue;
            }
            byte[] until = range.end() == null || (last != null && BytesUtil.compare(last, range.end()) < 0) ? last : range.end();
            Consumer<KVStoreClosure> scan = closure -> region.getRaftRawKVStore().scan(start, until, limit - found.size(), !stale, true, closure);
            Outcome outcome = applied(scan::accept);
            if (outcome.status == null || !outcome.status.isOk() || !store.rangeOf(region).reaches(until)) {
                pause();
                continue;
            }
            @SuppressWarnings("unchecked")
            List<KVEntry> pairs = (List<KVEntry>) outcome.data;
            pairs.forEach(pair -> found.add(Pair.of(pair.getKey(), pair.getValue())));
            if (found.size() >= limit || until == null || until == last) {
                return found;
            }
            at = until;
            end = System.nanoTime() + PATIENCE;
        }
        return null;
    }

    /** The number of a region to come, from a sequence in the first region; -1: none is to be had now. */
    long nextRegion(boolean forwarded) {
        RegionEngine first = store.getRegionEngine(Store.FIRST_REGION);
        if (first.isLeader()) {
            Outcome outcome = applied(closure -> Store.apply(first, KVOperation.createGetSequence(Wire.bytes("\0regions"), 1), closure));
            return outcome.status != null && outcome.status.isOk() ? FIRST_NUMBER + ((Sequence) outcome.data).getStartValue() : -1;
        }
        Answer answer = forwarded ? LATER : forward(members.of(first.getLeaderId()), "POST", "/cluster/next-region", new byte[0]);
        return answer.status == 200 ? Long.parseLong(new String(answer.body, StandardCharsets.UTF_8)) : -1;
    }

    private static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }
}
