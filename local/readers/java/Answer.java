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

	/** What a cell holds: its content, a text, the code of its number format, and of dates the number. */
	record Cell(String content, String text, String format, String number) {
		Cell(String content, String text, String format) {
			this(content, text, format, null);
		}
	}

	/** Begins a sheet. */
	void sheet(String name) {
		line.append("{\"sheet\":");
		quote(name);
		line.append('}');
		send();
	}

	/** A row, counted from 1; an empty cell is null. */
	void row(int number, List<Cell> cells) {
		line.append("{\"row\":").append(number).append(",\"cells\":[");
		String separator = "";
		for (Cell cell : cells) {
			line.append(separator);
			cell(cell);
			separator = ",";
		}
		line.append("]}");
		send();
	}

	private void cell(Cell cell) {
		if (cell == null) {
			line.append("null");
			return;
		}
		line.append('[');
		quote(cell.content());
		line.append(',');
		quote(cell.text());
		line.append(',');
		quote(cell.format());
		if (cell.number() != null) {
			line.append(',');
			quote(cell.number());
		}
		line.append(']');
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
