package cairn.sharded;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The nodes: number to host and port of HTTP. Raft's port is {@link #RAFT} above that one. */
record Members(Map<Integer, Endpoint> http) {
    static final int RAFT = 1000;

    /** @param text "1=host:port,2=host:port" */
    static Members parse(String text) {
        Map<Integer, Endpoint> found = new TreeMap<>();
        for (String part : text.split(",")) {
            String[] words = part.split("[=:]");
            if (words.length != 3) {
                throw new IllegalArgumentException("--members: \"" + part + "\" is not ID=HOST:PORT");
            }
            found.put(Integer.parseInt(words[0]), new Endpoint(words[1], Integer.parseInt(words[2])));
        }
        return new Members(found);
    }

    Endpoint raft(int id) {
        Endpoint of = http.get(id);
        return new Endpoint(of.getIp(), of.getPort() + RAFT);
    }

    /** As JRaft writes a configuration. */
    String raftServers() {
        return http.keySet().stream().map(id -> raft(id).toString()).collect(Collectors.joining(","));
    }

    /** Its number; 0: nobody's. */
    int of(PeerId peer) {
        return peer == null ? 0 : http.keySet().stream().filter(id -> raft(id).equals(peer.getEndpoint())).findFirst().orElse(0);
    }
}
