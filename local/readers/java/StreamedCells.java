package haexcel;

import java.io.File;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.poi.openxml4j.opc.OPCPackage;
import org.apache.poi.openxml4j.opc.PackageAccess;
import org.apache.poi.ss.usermodel.DataFormatter;
import org.apache.poi.ss.util.CellReference;
import org.apache.poi.util.XMLHelper;
import org.apache.poi.xssf.eventusermodel.ReadOnlySharedStringsTable;
import org.apache.poi.xssf.eventusermodel.XSSFReader;
import org.apache.poi.xssf.eventusermodel.XSSFSheetXMLHandler;
import org.apache.poi.xssf.usermodel.XSSFComment;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;

/** Reads a workbook with POI's event model, row by row. It gives what a person sees. */
final class StreamedCells implements XSSFSheetXMLHandler.SheetContentsHandler {
	private final Answer answer;
	private final List<Answer.Cell> cells = new ArrayList<>();

	private StreamedCells(Answer answer) {
		this.answer = answer;
	}

	static void read(File file, Answer answer) throws Exception {
		try (OPCPackage parts = OPCPackage.open(file, PackageAccess.READ)) {
			XSSFReader reader = new XSSFReader(parts);
			var texts = new ReadOnlySharedStringsTable(parts);
			var formatter = new DataFormatter(Locale.US);
			var sheets = (XSSFReader.SheetIterator) reader.getSheetsData();
			while (sheets.hasNext()) {
				try (InputStream sheet = sheets.next()) {
					answer.sheet(sheets.getSheetName());
					XMLReader xml = XMLHelper.newXMLReader();
					xml.setContentHandler(new XSSFSheetXMLHandler(reader.getStylesTable(), texts, new StreamedCells(answer), formatter, false));
					xml.parse(new InputSource(sheet));
				}
			}
		}
	}

	@Override
	public void startRow(int row) {
		cells.clear();
	}

	/** Shows a cell that holds something. One without a reference follows the one before. */
	@Override
	public void cell(String reference, String text, XSSFComment comment) {
		int column = reference == null ? cells.size() : new CellReference(reference).getCol();
		while (cells.size() < column) {
			cells.add(null);
		}
		cells.add(new Answer.Cell("shown", text, ""));
	}

	@Override
	public void endRow(int row) {
		answer.row(row + 1, cells);
	}
}
