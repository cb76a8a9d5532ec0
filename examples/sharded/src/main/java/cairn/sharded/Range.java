package cairn.sharded;

import com.alipay.sofa.jraft.util.BytesUtil;

/** Keys from `start` (null: from the first) up to, not including, `end` (null: to the last), in the order of their bytes. */
record Range(byte[] start, byte[] end) {
    boolean has(byte[] key) {
        return (start == null || BytesUtil.compare(key, start) >= 0) && (end == null || BytesUtil.compare(key, end) < 0);
    }

    /** Whether all keys up to `limit` (null: all) are below the end. */
    boolean reaches(byte[] limit) {
        return end == null || (limit != null && BytesUtil.compare(limit, end) <= 0);
    }
}
