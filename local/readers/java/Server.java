package haexcel;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.poi.openxml4j.util.ZipSecureFile;

/**
 * Answers questions about workbooks: each line of standard input is a verb, a
 * blank and the path of a file, each answer some lines of JSON, the last of which
 * has the member "end". It ends with its input.
 *
 * Its argument names the folder of its classes. It loads them all and removes the
 * folder, so that nothing is left behind however it ends.
 */
public final class Server {
	private Server() {}

	public static void main(String[] arguments) throws IOException, ClassNotFoundException {
		File folder = new File(arguments[0]);
		load(folder);
		remove(folder);
		// POI takes parts that deflate to less than a hundredth for an attack. Ours
		// do where texts or rows are long and all the same.
		ZipSecureFile.setMinInflateRatio(0);
		Answer answer = new Answer(new PrintStream(System.out, false, StandardCharsets.UTF_8));
		System.setOut(System.err); // whatever a library prints is no answer
		BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		answer.end(null); // to say that it runs
		for (String line; (line = requests.readLine()) != null; ) {
			int blank = line.indexOf(' ');
			answer.end(outcome(line.substring(0, blank), new File(line.substring(blank + 1)), answer));
		}
	}

	/** Does what a request asks and returns why it failed, null where it did not. */
	private static String outcome(String verb, File file, Answer answer) {
		try {
			switch (verb) {
				case "cells" -> Cells.read(file, false, answer);
				case "shown" -> Cells.read(file, true, answer);
				case "streamed" -> StreamedCells.read(file, answer);
				case "schema" -> WorkbookPackage.check(file, answer);
				default -> throw new IllegalArgumentException("unknown verb " + verb);
			}
			return null;
		} catch (Exception | OutOfMemoryError | StackOverflowError failure) {
			StringBuilder text = new StringBuilder(failure.toString());
			for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
				text.append(": ").append(cause);
			}
			return text.toString();
		}
	}

	private static void load(File folder) throws ClassNotFoundException {
		String ours = Server.class.getPackageName();
		for (String file : new File(folder, ours).list()) {
			Class.forName(ours + "." + file.replaceFirst("[.]class$", ""), false, Server.class.getClassLoader());
		}
		OwnSchema.values(); // reads its files
	}

	private static void remove(File file) {
		File[] inside = file.listFiles();
		if (inside != null) {
			for (File f : inside) {
				remove(f);
			}
		}
		file.delete(); // where it cannot, the other side does
	}
}
