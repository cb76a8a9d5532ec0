package cairn.sharded;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.entity.LeaderChangeContext;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.rhea.serialization.Serializers;
import com.alipay.sofa.jraft.rhea.storage.CASEntry;
import com.alipay.sofa.jraft.rhea.storage.KVClosureAdapter;
import com.alipay.sofa.jraft.rhea.storage.KVEntry;
import com.alipay.sofa.jraft.rhea.storage.KVOperation;
import com.alipay.sofa.jraft.rhea.storage.KVStoreStateMachine;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * RheaKV's state machine of a region, between JRaft and it this: what RheaKV looks at when a request comes has to be looked at when its entry
 * of the log is applied.
 *
 * <ul>
 * <li>An entry behind that of a split may be of keys that the region then no longer has. It is not applied; all replicas agree on that, as it
 * follows from the log alone.
 * <li>RheaKV applies entries in batches. In a batch, compare-and-put compares with what there was before the batch, so two that expect the same
 * value both succeed. What looks before it writes is handed on one at a time.
 * </ul>
 */
final class RegionMachine extends StateMachineAdapter {
    /** The status of an operation that was not done, as the key is another region's now. */
    static final int MOVED = 20_001;

    private final KVStoreStateMachine machine;
    private final Store store;
    /** As it is behind the entry that was applied last; only of the thread that applies. */
    private Range range;
    /** Keys put since {@link #takeWritten} was called. */
    private final AtomicLong written = new AtomicLong();

    RegionMachine(KVStoreStateMachine machine, Store store, Range range) {
        this.machine = machine;
        this.store = store;
        this.range = range;
    }

    long takeWritten() {
        return written.getAndSet(0);
    }

    @Override
    public void onApply(Iterator entries) {
        Chunk chunk = new Chunk();
        Status failure = null;
        while (entries.hasNext() && failure == null) {
            KVClosureAdapter done = (KVClosureAdapter) entries.done();
            KVOperation op = done != null ? done.getOperation() : decode(entries.getData());
            entries.next();
            if (done == null && op.isReadOp()) {
                continue;
            }
            if (!hasKeys(op)) {
                if (done != null) {
                    done.run(new Status(MOVED, "the key is another region's"));
                }
                continue;
            }
            boolean looks = looks(op);
            if (looks) {
                failure = flush(chunk);
            }
            // (An adapter without a closure: so the operation is not decoded a second time.)
            chunk.add(done != null ? done : new KVClosureAdapter(null, op));
            if (op.getOp() == KVOperation.RANGE_SPLIT) {
                range = new Range(range.start(), op.getKey());
            }
            if (looks && failure == null) {
                failure = flush(chunk);
            }
        }
        if (failure == null) {
            failure = flush(chunk);
        }
        if (failure != null) {
            entries.setErrorAndRollback(1, failure);
        }
    }

    private Status flush(Chunk chunk) {
        if (!chunk.isEmpty()) {
            machine.onApply(chunk);
        }
        Status failure = chunk.failure;
        chunk.clear();
        return failure;
    }

    private static KVOperation decode(ByteBuffer data) {
        if (data.hasArray()) {
            return Serializers.getDefault().readObject(data.array(), KVOperation.class);
        }
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        return Serializers.getDefault().readObject(bytes, KVOperation.class);
    }

    private static boolean looks(KVOperation op) {
        return switch (op.getOp()) {
            case KVOperation.PUT, KVOperation.PUT_LIST, KVOperation.DELETE, KVOperation.DELETE_LIST, KVOperation.GET -> false;
            default -> true;
        };
    }

    /** (Whether a read's keys are the region's its reader looks at, when it has the answer.) */
    private boolean hasKeys(KVOperation op) {
        if (op.isReadOp()) {
            return true;
        }
        switch (op.getOp()) {
            case KVOperation.PUT_LIST:
                written.addAndGet(op.getEntries().size());
                for (KVEntry entry : op.getEntries()) {
                    if (!range.has(entry.getKey())) {
                        return false;
                    }
                }
                return true;
            case KVOperation.DELETE_LIST:
                return op.getKeys().stream().allMatch(range::has);
            case KVOperation.COMPARE_PUT_ALL:
                return op.getCASEntries().stream().map(CASEntry::getKey).allMatch(range::has);
            case KVOperation.RANGE_SPLIT:
                // A second split, of a leader that knew nothing of the first, perhaps.
                return range.has(op.getKey()) && !java.util.Arrays.equals(op.getKey(), range.start());
            default:
                written.incrementAndGet();
                return range.has(op.getKey());
        }
    }

    @Override
    public void onSnapshotSave(SnapshotWriter writer, Closure done) {
        done.run(new Status(RaftError.EINVAL, "examples/sharded takes no snapshots"));
    }

    @Override
    public boolean onSnapshotLoad(SnapshotReader reader) {
        return false;
    }

    @Override
    public void onLeaderStart(long term) {
        machine.onLeaderStart(term);
    }

    @Override
    public void onLeaderStop(Status status) {
        machine.onLeaderStop(status);
    }

    @Override
    public void onStartFollowing(LeaderChangeContext context) {
        machine.onStartFollowing(context);
    }

    @Override
    public void onStopFollowing(LeaderChangeContext context) {
        machine.onStopFollowing(context);
    }

    @Override
    public void onConfigurationCommitted(Configuration configuration) {
        machine.onConfigurationCommitted(configuration);
    }

    /** JRaft goes no further in this region: the log or the data cannot be written, or read. Nor does the node. */
    @Override
    public void onError(RaftException error) {
        store.fail("region " + machine.getRegionId() + ": " + error.getStatus().getErrorMsg());
    }

    /** Operations as the entries of a log, for RheaKV's machine. */
    private static final class Chunk implements Iterator {
        private final List<KVClosureAdapter> steps = new ArrayList<>();
        private int at;
        Status failure;

        void add(KVClosureAdapter step) {
            steps.add(step);
        }

        boolean isEmpty() {
            return steps.isEmpty();
        }

        void clear() {
            steps.clear();
            at = 0;
        }

        @Override
        public boolean hasNext() {
            return at < steps.size();
        }

        @Override
        public ByteBuffer next() {
            ++at;
            return null;
        }

        @Override
        public ByteBuffer getData() {
            return null;
        }

        @Override
        public Closure done() {
            return steps.get(at);
        }

        @Override
        public void setErrorAndRollback(long tail, Status status) {
            failure = status;
        }

        @Override
        public long getIndex() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long getTerm() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setAutoCommitPerLog(boolean on) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean commit() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commitAndSnapshotSync(Closure done) {
            throw new UnsupportedOperationException();
        }
    }
}
