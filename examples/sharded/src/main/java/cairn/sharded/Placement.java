package cairn.sharded;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.rhea.RegionEngine;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Each node's part of what RheaKV's placement driver does, which Maven does not have: splits regions that have become large, and hands on
 * leaderships when this node has more than others. A node decides about regions that it leads; two that act at once do no harm.
 */
final class Placement implements Runnable {
    private static final Logger LOG = Logger.getLogger(Placement.class.getName());

    private final Store store;
    private final Front front;
    private final Members members;
    private final int id;
    private final long splitKeys;
    private final long every;

    /** @param splitKeys a region with more keys is split; 0: none is. `every`: milliseconds */
    Placement(Store store, Front front, Members members, int id, long splitKeys, long every) {
        this.store = store;
        this.front = front;
        this.members = members;
        this.id = id;
        this.splitKeys = splitKeys;
        this.every = every;
    }

    @Override
    public void run() {
        Map<Long, Long> written = new HashMap<>();
        while (true) {
            try {
                TimeUnit.MILLISECONDS.sleep(every);
                List<RegionEngine> mine = store.getAllRegionEngines().stream().filter(RegionEngine::isLeader).toList();
                for (RegionEngine region : mine) {
                    splitIfLarge(region, written);
                }
                balance(mine);
            } catch (InterruptedException error) {
                return;
            } catch (RuntimeException | ExecutionException | TimeoutException error) {
                LOG.log(Level.WARNING, "placement", error);
            }
        }
    }

    private void splitIfLarge(RegionEngine region, Map<Long, Long> written)
        throws InterruptedException, ExecutionException, TimeoutException {
        long number = region.getRegion().getId();
        // Keys are counted one by one: not before there can be enough new ones.
        long since = written.merge(number, store.machineOf(region).takeWritten(), Long::sum);
        if (splitKeys == 0 || since < splitKeys / 2) {
            return;
        }
        written.put(number, 0L);
        Range range = store.rangeOf(region);
        long keys = store.getRawKVStore().getApproximateKeysInRange(range.start() == null ? new byte[0] : range.start(), range.end());
        if (keys > splitKeys) {
            long next = front.nextRegion(false);
            if (next < 0) {
                return;    // at the next turn
            }
            Status status = store.split(region, keys, next).get(10, TimeUnit.SECONDS);
            LOG.log(status.isOk() ? Level.INFO : Level.WARNING, "split: region {0} of {1} keys, the new one is {2}: {3}",
                new Object[] {String.valueOf(number), keys, String.valueOf(next), status.isOk() ? "done" : status.getErrorMsg()});
        }
    }

    /** Hands one leadership on to the node that has the fewest, if that has two less than this one. */
    private void balance(List<RegionEngine> mine) {
        Map<Integer, Integer> leads = new HashMap<>();
        for (RegionEngine region : store.getAllRegionEngines()) {
            leads.merge(members.of(region.getLeaderId()), 1, Integer::sum);
        }
        for (RegionEngine region : mine) {
            PeerId laziest = region.getNode().listAlivePeers().stream().filter(peer -> members.of(peer) != id)
                .min(Comparator.comparing(peer -> leads.getOrDefault(members.of(peer), 0))).orElse(null);
            if (laziest != null && mine.size() - leads.getOrDefault(members.of(laziest), 0) >= 2) {
                boolean done = region.transferLeadershipTo(laziest.getEndpoint());
                LOG.log(Level.INFO, "balance: region {0} goes to node {1}: {2}",
                    new Object[] {String.valueOf(region.getRegion().getId()), members.of(laziest), done});
                return;
            }
        }
    }
}
