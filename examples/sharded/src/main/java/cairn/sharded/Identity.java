package cairn.sharded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import java.util.UUID;

/** Who a directory belongs to: written once, when the node is made, and looked at whenever it starts. */
record Identity(int id, String mark, boolean joins) {
    private static final String FILE = "identity.properties";

    /**
     * @param joins the node takes the place of another in regions that exist, so it is in none until it is added
     * @throws Refusal if the directory belongs to somebody already
     */
    static Identity create(Path folder, int id, boolean joins) throws IOException {
        if (Files.exists(folder.resolve(FILE))) {
            throw new Refusal(folder + " has a node already: start it without --new");
        }
        if (Files.exists(folder)) {
            try (var files = Files.list(folder)) {
                if (files.findAny().isPresent()) {
                    throw new Refusal(folder + " is not empty, and no node's: a new node wants a directory of its own");
                }
            }
        }
        Files.createDirectories(folder);
        return new Identity(id, UUID.randomUUID().toString(), joins);
    }

    void save(Path folder) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("id", String.valueOf(id));
        properties.setProperty("mark", mark);
        properties.setProperty("joins", String.valueOf(joins));
        StringWriter text = new StringWriter();
        properties.store(text, "A node of examples/sharded");
        Path scrap = folder.resolve(FILE + ".new");
        try (OutputStream out = Files.newOutputStream(scrap)) {
            out.write(text.toString().getBytes());
        }
        synchronize(scrap);
        Files.move(scrap, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        synchronize(folder);
    }

    /** @throws Refusal if the directory is no node's, or another's */
    static Identity load(Path folder, int id) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            throw new Refusal(folder + " has no node (no " + FILE + "). A node that is started for the first time takes --new. If there was "
                + "one and its files are lost, it must not come back as if nothing had been: POST /cluster/forget, then start it with "
                + "--new --join, then POST /cluster/add");
        }
        Properties properties = new Properties();
        properties.load(new StringReader(Files.readString(file)));
        Identity found;
        try {
            found = new Identity(Integer.parseInt(properties.getProperty("id", "")), properties.getProperty("mark", ""),
                Boolean.parseBoolean(properties.getProperty("joins", "false")));
        } catch (NumberFormatException error) {
            throw new Refusal(file + " is damaged");
        }
        if (found.id != id) {
            throw new Refusal(folder + " is the directory of node " + found.id + ", not of node " + id);
        }
        return found;
    }

    private static void synchronize(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** A node that must not start so. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refusal(String words) {
            super(words);
        }
    }
}
