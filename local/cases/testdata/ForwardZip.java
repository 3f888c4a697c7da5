import java.io.BufferedInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Reads each zip named on the command line from front to back, as a program does
 * that gets it from a network, and prints a line for each entry: its SHA-256, its
 * time in seconds since 1970, and its name. A blank line ends a zip.
 */
class ForwardZip {
    public static void main(String[] paths) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String path : paths) {
            try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path)));
                    ZipInputStream zip = new ZipInputStream(in)) {
                for (ZipEntry entry; (entry = zip.getNextEntry()) != null;) {
                    MessageDigest digest = MessageDigest.getInstance("SHA-256");
                    new DigestInputStream(zip, digest).transferTo(OutputStream.nullOutputStream());
                    out.println(HexFormat.of().formatHex(digest.digest()) + " "
                            + entry.getLastModifiedTime().toMillis() / 1000 + " " + entry.getName());
                }
            }
            out.println();
        }
        out.flush();
    }
}
