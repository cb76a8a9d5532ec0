package cairn.sharded;

import com.alipay.sofa.jraft.rhea.RegionEngine;
import com.alipay.sofa.jraft.rhea.storage.KVEntry;
import com.alipay.sofa.jraft.rhea.storage.KVOperation;
import com.alipay.sofa.jraft.rhea.util.Pair;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;

/** What a node answers over HTTP, as examples/replicated does: /kv/KEY, /scan, /metrics; and /batch and what is below /cluster. */
final class Server {
    /** Keys of the example itself, which no client sees, begin with this. */
    private static final byte HIDDEN = 0;
    private static final byte[] FIRST_VISIBLE = {1};
    private static final int LONGEST_BODY = 16 << 20;

    private final Store store;
    private final Front front;
    private final Members members;
    private final int id;
    private final ObjectMapper json = new ObjectMapper();

    Server(Store store, Front front, Members members, int id) {
        this.store = store;
        this.front = front;
        this.members = members;
        this.id = id;
    }

    void listen(ExecutorService threads) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(members.http().get(id).getIp(), members.http().get(id).getPort()), 256);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    private void serve(HttpExchange exchange) throws IOException {
        Front.Answer answer;
        try {
            byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY + 1);
            answer = body.length > LONGEST_BODY ? Front.Answer.of(413, "a body of more than 16 MiB") : answer(exchange, body);
        } catch (IllegalArgumentException error) {
            answer = Front.Answer.of(400, String.valueOf(error.getMessage()));
        } catch (RuntimeException error) {
            answer = Front.Answer.of(500, error.toString());
        }
        exchange.sendResponseHeaders(answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
        if (answer.body().length > 0) {
            exchange.getResponseBody().write(answer.body());
        }
        exchange.close();
    }

    private Front.Answer answer(HttpExchange exchange, byte[] body) throws IOException {
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getRawPath();
        Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
        boolean forwarded = exchange.getRequestHeaders().containsKey(Front.FORWARDED);
        if (path.startsWith("/kv/") && path.length() > 4) {
            byte[] key = Wire.decode(path.substring(4));
            if (key[0] == HIDDEN) {
                return Front.Answer.of(400, "a key does not begin with a byte of zero");
            }
            if (method.equals("GET")) {
                return front.read(key, query.containsKey("stale"));
            }
            KVOperation op = operation(method, key, body, query);
            return op == null ? Front.Answer.of(405, "GET, PUT or DELETE")
                : front.write(new Front.Write(key, op, method, exchange.getRequestURI().toString(), body), forwarded);
        }
        return switch (method + " " + path) {
            case "GET /scan" -> scan(query);
            case "GET /metrics" -> new Front.Answer(200, json.writeValueAsBytes(metrics()));
            case "POST /batch" -> batch(body, forwarded);
            case "POST /cluster/next-region" -> {
                long next = front.nextRegion(forwarded);
                yield next < 0 ? Front.Answer.of(503, "no number") : new Front.Answer(200, String.valueOf(next).getBytes(StandardCharsets.UTF_8));
            }
            // (What nodes say of themselves, on its way to the region's leader.)
            case "POST /cluster/mark" -> mark(node(query), KVOperation.createPut(Main.markOf(node(query)), Wire.bytes(query.get("mark"))));
            case "POST /cluster/unmark" -> mark(node(query), KVOperation.createDelete(Main.markOf(node(query))));
            case "POST /cluster/leader" -> lead(query);
            case "POST /cluster/forget" -> forget(node(query));
            case "POST /cluster/add" -> add(node(query));
            default -> Front.Answer.of(404, "no " + path + " for " + method);
        };
    }

    private static KVOperation operation(String method, byte[] key, byte[] value, Map<String, String> query) {
        if (method.equals("DELETE")) {
            return KVOperation.createDelete(key);
        }
        if (!method.equals("PUT")) {
            return null;
        }
        String expect = query.get("expect");
        if (expect != null && query.containsKey("absent")) {
            throw new IllegalArgumentException("expect and absent exclude each other");
        }
        if (expect == null && !query.containsKey("absent")) {
            return KVOperation.createPut(key, value);
        }
        return KVOperation.createCompareAndPut(key, expect == null ? null : Wire.decode(expect), value);
    }

    private Front.Answer batch(byte[] body, boolean forwarded) {
        List<KVEntry> pairs = Wire.pairs(body);
        if (pairs.stream().anyMatch(pair -> pair.getKey()[0] == HIDDEN)) {
            throw new IllegalArgumentException("a key does not begin with a byte of zero");
        }
        return front.writeBatch(pairs, forwarded);
    }

    private Front.Answer scan(Map<String, String> query) throws IOException {
        byte[] prefix = Wire.decode(query.getOrDefault("prefix", ""));
        byte[] from = Wire.decode(query.getOrDefault("from", ""));
        int limit = Math.max(1, Math.min(10_000, Integer.parseInt(query.getOrDefault("limit", "1000"))));
        List<Pair<byte[], byte[]>> found = front.scan(prefix, from.length == 0 ? FIRST_VISIBLE : from, limit, query.containsKey("stale"));
        if (found == null) {
            return Front.Answer.of(503, "no leader is known");
        }
        List<String[]> pairs = new ArrayList<>();
        found.forEach(pair -> pairs.add(new String[] {text(pair.getKey()), text(pair.getValue())}));
        return new Front.Answer(200, json.writeValueAsBytes(pairs));
    }

    private Map<String, Object> metrics() {
        Map<String, Object> all = new TreeMap<>();
        List<Map<String, Object>> regions = new ArrayList<>();
        for (RegionEngine region : inOrder()) {
            Range range = store.rangeOf(region);
            Map<String, Object> row = new TreeMap<>();
            row.put("id", region.getRegion().getId());
            row.put("start", range.start() == null ? "" : text(range.start()));
            row.put("end", range.end() == null ? "" : text(range.end()));
            row.put("leader", members.of(region.getLeaderId()));
            row.put("last_log", region.getNode().getLastLogIndex());
            row.put("committed", region.getNode().getLastCommittedIndex());
            row.put("applied", region.getNode().getLastAppliedLogIndex());
            regions.add(row);
        }
        all.put("id", id);
        all.put("regions", regions);
        all.put("leads", regions.stream().filter(row -> row.get("leader").equals(id)).count());
        Map<Integer, String> marks = new TreeMap<>();
        for (int member : members.http().keySet()) {
            Front.Answer mark = front.read(Main.markOf(member), true);
            if (mark.status() == 200) {
                marks.put(member, text(mark.body()));
            }
        }
        all.put("marks", marks);
        return all;
    }

    /** The regions, older ones first. */
    private List<RegionEngine> inOrder() {
        List<RegionEngine> engines = store.getAllRegionEngines();
        engines.sort(Comparator.comparing(region -> region.getRegion().getId()));
        return engines;
    }

    private int node(Map<String, String> query) {
        int node = Integer.parseInt(query.getOrDefault("id", "0"));
        if (!members.http().containsKey(node)) {
            throw new IllegalArgumentException("?id= has to be one of " + members.http().keySet());
        }
        return node;
    }

    private Front.Answer mark(int node, KVOperation op) {
        return front.write(new Front.Write(Main.markOf(node), op, "POST", "", new byte[0]), true);
    }

    /** Moves a region's leadership: /cluster/leader?region=R&amp;id=N, to be asked of the node that leads it. */
    private Front.Answer lead(Map<String, String> query) {
        RegionEngine region = store.getRegionEngine(Long.parseLong(query.getOrDefault("region", "0")));
        if (region == null || !region.isLeader()) {
            return Front.Answer.of(409, "this node does not lead it");
        }
        return region.transferLeadershipTo(members.raft(node(query))) ? Front.Answer.of(204, "") : Front.Answer.of(503, "refused by Raft");
    }

    /** Takes a node whose files are lost out of all regions, so that its votes and its copies count no more. */
    private Front.Answer forget(int node) {
        for (RegionEngine region : store.getAllRegionEngines()) {
            if (!store.remove(region, members, node)) {
                return Front.Answer.of(503, "region " + region.getRegion().getId() + " has it still: try again");
            }
        }
        byte[] key = Main.markOf(node);
        return front.write(new Front.Write(key, KVOperation.createDelete(key), "POST", "/cluster/unmark?id=" + node, new byte[0]), false);
    }

    /** Takes a node that joins into all regions. Older ones first: it has a region that was split off when it has applied the other's log. */
    private Front.Answer add(int node) {
        for (RegionEngine region : inOrder()) {
            if (!store.add(region, members, node)) {
                return Front.Answer.of(503, "region " + region.getRegion().getId() + " does not have it yet: try again");
            }
        }
        return Front.Answer.of(204, "");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> found = new HashMap<>();
        for (String part : raw == null || raw.isEmpty() ? new String[0] : raw.split("&")) {
            String[] words = part.split("=", 2);
            found.put(words[0], words.length == 2 ? words[1] : "");
        }
        return found;
    }
}
