package cairn.sharded;

import com.alipay.sofa.jraft.rhea.storage.KVEntry;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keys and pairs as they are sent. */
final class Wire {
    private Wire() {}

    /** `%2f` and the like: bytes. */
    static byte[] decode(String text) {
        byte[] from = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream to = new ByteArrayOutputStream(from.length);
        for (int at = 0; at < from.length; ++at) {
            if (from[at] != '%') {
                to.write(from[at]);
                continue;
            }
            if (at + 2 >= from.length) {
                throw new IllegalArgumentException("a % without two digits");
            }
            to.write(Integer.parseInt(new String(from, at + 1, 2, StandardCharsets.US_ASCII), 16));
            at += 2;
        }
        return to.toByteArray();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Of a batch: a line each, key TAB value. */
    static List<KVEntry> pairs(byte[] body) {
        List<KVEntry> found = new ArrayList<>();
        int start = 0;
        while (start < body.length) {
            int end = find(body, (byte) '\n', start, body.length);
            int tab = find(body, (byte) '\t', start, end);
            if (tab == end || tab == start) {
                throw new IllegalArgumentException("line " + (found.size() + 1) + " is not key TAB value");
            }
            found.add(new KVEntry(Arrays.copyOfRange(body, start, tab), Arrays.copyOfRange(body, tab + 1, end)));
            start = end + 1;
        }
        return found;
    }

    static byte[] pairs(List<KVEntry> pairs) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        for (KVEntry pair : pairs) {
            to.writeBytes(pair.getKey());
            to.write('\t');
            to.writeBytes(pair.getValue());
            to.write('\n');
        }
        return to.toByteArray();
    }

    private static int find(byte[] in, byte what, int from, int to) {
        int at = from;
        while (at < to && in[at] != what) {
            ++at;
        }
        return at;
    }

    /** The first key behind all that begin with the prefix; null: there is none. */
    static byte[] behind(byte[] prefix) {
        for (int length = prefix.length; length > 0; --length) {
            if (prefix[length - 1] != (byte) 0xff) {
                byte[] key = Arrays.copyOf(prefix, length);
                ++key[length - 1];
                return key;
            }
        }
        return null;
    }
}
