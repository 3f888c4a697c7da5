package haexcel;

import java.io.PrintStream;
import java.util.List;

/** Writes answers: one JSON object a line. */
final class Answer {
	private final PrintStream out;
	private final StringBuilder line = new StringBuilder();

	Answer(PrintStream out) {
		this.out = out;
	}

	/** What a cell holds: a kind, a text, the code of its number format, and the number behind a date. */
	record Cell(String kind, String text, String format, String raw) {
		static final Cell EMPTY = new Cell("empty", "", "", "");
	}

	/** Begins a sheet. */
	void sheet(String name) {
		line.append("{\"sheet\":");
		quote(name);
		line.append('}');
		send();
	}

	/** A row, counted from 1. */
	void row(int number, List<Cell> cells) {
		line.append("{\"row\":").append(number).append(",\"cells\":[");
		String separator = "";
		for (Cell cell : cells) {
			line.append(separator).append('[');
			quote(cell.kind());
			for (String text : new String[] {cell.text(), cell.format(), cell.raw()}) {
				line.append(',');
				quote(text == null ? "" : text);
			}
			line.append(']');
			separator = ",";
		}
		line.append("]}");
		send();
	}

	/** A fault of a part; line and column are 0 where they are not known. */
	void violation(String part, int lineNumber, int column, String path, String message) {
		line.append("{\"part\":");
		quote(part);
		line.append(",\"line\":").append(lineNumber).append(",\"column\":").append(column).append(",\"path\":");
		quote(path);
		line.append(",\"message\":");
		quote(message);
		line.append('}');
		send();
	}

	/** Ends an answer; error is null where nothing went wrong. */
	void end(String error) {
		line.append("{\"end\":true,\"error\":");
		quote(error == null ? "" : error);
		line.append('}');
		send();
		out.flush();
	}

	private void send() {
		out.append(line).append('\n');
		line.setLength(0);
	}

	private void quote(String text) {
		line.append('"');
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			// Half a surrogate pair cannot be written in UTF-8, so none is.
			if (c == '"' || c == '\\' || c < ' ' || Character.isSurrogate(c)) {
				line.append(String.format("\\u%04x", (int) c));
			} else {
				line.append(c);
			}
		}
		line.append('"');
	}
}
