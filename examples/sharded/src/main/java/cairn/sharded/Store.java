package cairn.sharded;

import com.alipay.sofa.jraft.CliService;
import com.alipay.sofa.jraft.StateMachine;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.CliServiceImpl;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.option.CliOptions;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.rhea.RegionEngine;
import com.alipay.sofa.jraft.rhea.StateListenerContainer;
import com.alipay.sofa.jraft.rhea.StoreEngine;
import com.alipay.sofa.jraft.rhea.client.pd.FakePlacementDriverClient;
import com.alipay.sofa.jraft.rhea.metadata.Peer;
import com.alipay.sofa.jraft.rhea.options.PlacementDriverOptions;
import com.alipay.sofa.jraft.rhea.options.RegionEngineOptions;
import com.alipay.sofa.jraft.rhea.options.RocksDBOptions;
import com.alipay.sofa.jraft.rhea.options.StoreEngineOptions;
import com.alipay.sofa.jraft.rhea.serialization.Serializers;
import com.alipay.sofa.jraft.rhea.storage.BaseKVStoreClosure;
import com.alipay.sofa.jraft.rhea.storage.KVClosureAdapter;
import com.alipay.sofa.jraft.rhea.storage.KVOperation;
import com.alipay.sofa.jraft.rhea.storage.KVStoreStateMachine;
import com.alipay.sofa.jraft.storage.impl.RocksDBLogStorage;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.StorageOptionsFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.commons.io.FileUtils;
import org.rocksdb.DBOptions;
import org.rocksdb.WALRecoveryMode;

/**
 * A store of RheaKV with its regions: one database of data, and for each region a group of Raft with a log of its own.
 *
 * The logs are the truth, kept whole and synced; the data are made of them anew at each start, so that a region is what its log says. RheaKV's
 * own way (take up the data as they are, and a snapshot of each region) does not go together with splits: examples/sharded/README.md.
 */
final class Store extends StoreEngine {
    static final long FIRST_REGION = 1;
    private static final String NAME = "sharded";

    private final FakePlacementDriverClient driver;
    private final CliService membership = new CliServiceImpl();
    private final Map<Long, Range> ranges = new ConcurrentHashMap<>();
    private final Map<Long, RegionMachine> machines = new ConcurrentHashMap<>();
    private final int electionMilliseconds;
    private final boolean joins;
    private final Consumer<String> failed;

    /**
     * @param joins the node is in no region before it is added
     * @param failed is told, from any thread, why the node cannot go on
     */
    Store(int electionMilliseconds, boolean joins, Consumer<String> failed) {
        this(new FakePlacementDriverClient(1, NAME), electionMilliseconds, joins, failed);
    }

    private Store(FakePlacementDriverClient driver, int electionMilliseconds, boolean joins, Consumer<String> failed) {
        super(driver, new StateListenerContainer<>());
        this.driver = driver;
        this.electionMilliseconds = electionMilliseconds;
        this.joins = joins;
        this.failed = failed;
    }

    /**
     * A log that is damaged in its middle has to be refused. RocksDB's default takes what is before the damage for the whole, and the node would
     * have forgotten what it has promised to have. (A last entry that was not wholly written, as by a kill, is let go: it was not promised.)
     */
    private static void refuseDamagedLogs() {
        DBOptions options = StorageOptionsFactory.getDefaultRocksDBOptions();
        options.setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
        StorageOptionsFactory.registerRocksDBOptions(RocksDBLogStorage.class, options);
    }

    /** False: it did not start, and what was logged says why. */
    boolean open(Path folder, Members members, int id) throws IOException {
        refuseDamagedLogs();
        driver.init(new PlacementDriverOptions());
        membership.init(new CliOptions());
        FileUtils.deleteDirectory(folder.resolve("data").toFile());
        Files.createDirectories(folder.resolve("data"));
        RegionEngineOptions first = new RegionEngineOptions();
        first.setRegionId(FIRST_REGION);
        ranges.put(FIRST_REGION, new Range(null, null));
        RocksDBOptions data = new RocksDBOptions();
        data.setDbPath(folder.resolve("data").toString());
        StoreEngineOptions options = new StoreEngineOptions();
        options.setServerAddress(members.raft(id));
        options.setInitialServerList(members.raftServers());
        options.setRaftDataPath(folder.resolve("raft") + "/");
        options.setRocksDBOptions(data);
        options.setCommonNodeOptions(new RegionOptions());
        options.setRegionEngineOptionsList(new java.util.ArrayList<>(List.of(first)));
        options.setMetricsReportPeriod(0);
        return init(options);
    }

    void fail(String words) {
        failed.accept(words);
    }

    /** The region that has the key, as far as this node has applied the logs; null before the node has begun. */
    RegionEngine regionOf(byte[] key) {
        // Of two regions, while a split is applied, the newer one is it: the older one's range is changed last.
        return getAllRegionEngines().stream().filter(region -> has(region, key)).max(Comparator.comparing(region -> region.getRegion().getId()))
            .orElse(null);
    }

    boolean has(RegionEngine region, byte[] key) {
        Range range = rangeOf(region);
        return range != null && range.has(key);
    }

    Range rangeOf(RegionEngine region) {
        return ranges.get(region.getRegion().getId());
    }

    RegionMachine machineOf(RegionEngine region) {
        return machines.get(region.getRegion().getId());
    }

    /** Called by the state machine, in the order of the log, on each replica; and again when the log is applied again. */
    @Override
    public void doSplit(Long regionId, Long newRegionId, byte[] splitKey) {
        Range whole = ranges.get(regionId);
        ranges.put(newRegionId, new Range(splitKey, whole.end()));
        super.doSplit(regionId, newRegionId, splitKey);
        ranges.put(regionId, new Range(whole.start(), splitKey));
    }

    /** Splits a region in the middle of its keys. To be called where it is led. The status: whether the split is applied. */
    CompletableFuture<Status> split(RegionEngine region, long keys, long newRegionId) {
        Range range = rangeOf(region);
        byte[] middle = getRawKVStore().jumpOver(range.start() == null ? new byte[0] : range.start(), keys / 2);
        CompletableFuture<Status> done = new CompletableFuture<>();
        if (middle == null || !range.has(middle)) {
            done.complete(new Status(-1, "no key in the middle"));
            return done;
        }
        apply(region, KVOperation.createRangeSplit(middle, region.getRegion().getId(), newRegionId), new BaseKVStoreClosure() {
            @Override
            public void run(Status status) {
                done.complete(status);
            }
        });
        return done;
    }

    static void apply(RegionEngine region, KVOperation op, BaseKVStoreClosure closure) {
        Task task = new Task();
        task.setData(ByteBuffer.wrap(Serializers.getDefault().writeObject(op)));
        task.setDone(new KVClosureAdapter(closure, op));
        region.getNode().apply(task);
    }

    /** Takes a node out of a region; true, too, if it is not in it: an earlier call may have done that after whoever asked gave up. */
    boolean remove(RegionEngine region, Members members, int id) {
        return !isMember(region, members, id)
            || driver.removeReplica(region.getRegion().getId(), new Peer(region.getRegion().getId(), -1, members.raft(id)), true);
    }

    /** Whether a region's leader counts the node among its peers; true, too, if no leader answers. */
    private boolean isMember(RegionEngine region, Members members, int id) {
        Configuration all = new Configuration();
        all.parse(members.raftServers());
        try {
            Endpoint asked = members.raft(id);
            return membership.getPeers(region.getNode().getGroupId(), all).stream().anyMatch(peer -> peer.getEndpoint().equals(asked));
        } catch (RuntimeException error) {
            return true;
        }
    }

    /** Takes a node into a region; returns when it has caught up. */
    boolean add(RegionEngine region, Members members, int id) {
        return driver.addReplica(region.getRegion().getId(), new Peer(region.getRegion().getId(), -1, members.raft(id)), true);
    }

    /** The options of each region's group. RheaKV copies them for each region and tells the copy the state machine of its region. */
    private final class RegionOptions extends NodeOptions {
        RegionOptions() {
            setElectionTimeoutMs(electionMilliseconds);
            setSnapshotIntervalSecs(0);
            getRaftOptions().setSync(true);
            getRaftOptions().setSyncMeta(true);
            getRaftOptions().setEnableLogEntryChecksum(true);
            setSharedElectionTimer(true);
            setSharedVoteTimer(true);
            setSharedStepDownTimer(true);
            setSharedSnapshotTimer(true);
        }

        @Override
        public NodeOptions copy() {
            return new RegionOptions();
        }

        @Override
        public void setFsm(StateMachine machine) {
            KVStoreStateMachine of = (KVStoreStateMachine) machine;
            RegionMachine ours = new RegionMachine(of, Store.this, ranges.get(of.getRegionId()));
            machines.put(of.getRegionId(), ours);
            super.setFsm(ours);
        }

        @Override
        public void setInitialConf(Configuration configuration) {
            super.setInitialConf(joins ? new Configuration() : configuration);
        }
    }
}
