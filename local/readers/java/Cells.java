package haexcel;

import java.io.File;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.poi.openxml4j.opc.OPCPackage;
import org.apache.poi.openxml4j.opc.PackageAccess;
import org.apache.poi.ss.usermodel.CellType;
import org.apache.poi.ss.usermodel.DataFormatter;
import org.apache.poi.ss.usermodel.DateUtil;
import org.apache.poi.ss.usermodel.Row;
import org.apache.poi.xssf.usermodel.XSSFCell;
import org.apache.poi.xssf.usermodel.XSSFRow;
import org.apache.poi.xssf.usermodel.XSSFSheet;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;

/** Reads a workbook with POI's usermodel, which holds all of it in memory. */
final class Cells {
	private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
	private static final DateTimeFormatter MILLISECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);

	private Cells() {}

	/** Answers the cells, or what a person sees of them. */
	static void read(File file, boolean shown, Answer answer) throws Exception {
		DataFormatter formatter = shown ? new DataFormatter(Locale.US) : null;
		try (OPCPackage parts = OPCPackage.open(file, PackageAccess.READ); XSSFWorkbook book = new XSSFWorkbook(parts)) {
			for (int i = 0; i < book.getNumberOfSheets(); i++) {
				XSSFSheet sheet = book.getSheetAt(i);
				answer.sheet(sheet.getSheetName());
				for (Row row : sheet) {
					answer.row(row.getRowNum() + 1, cells((XSSFRow) row, formatter));
				}
			}
		}
	}

	private static List<Answer.Cell> cells(XSSFRow row, DataFormatter formatter) {
		List<Answer.Cell> cells = new ArrayList<>();
		for (int column = 0; column < row.getLastCellNum(); column++) {
			XSSFCell cell = row.getCell(column);
			if (cell == null || cell.getCellType() == CellType.BLANK) {
				cells.add(null);
				continue;
			}
			String format = cell.getCellStyle().getDataFormatString();
			cells.add(formatter == null ? held(cell, format) : new Answer.Cell("shown", formatter.formatCellValue(cell), format));
		}
		return cells;
	}

	/** What the cell holds. Whether a number is a date is for POI to say. */
	private static Answer.Cell held(XSSFCell cell, String format) {
		return switch (cell.getCellType()) {
			case STRING -> new Answer.Cell("text", cell.getStringCellValue(), format);
			case BOOLEAN -> new Answer.Cell("boolean", cell.getBooleanCellValue() ? "1" : "0", format);
			case NUMERIC -> DateUtil.isCellDateFormatted(cell)
				? new Answer.Cell("date", moment(cell), format, Double.toString(cell.getNumericCellValue()))
				: new Answer.Cell("number", cell.getRawValue(), format);
			default -> new Answer.Cell("strange", cell.getCellType() + " " + cell, format);
		};
	}

	private static String moment(XSSFCell cell) {
		var at = cell.getLocalDateTimeCellValue();
		return at.format(at.getNano() == 0 ? SECONDS : MILLISECONDS);
	}
}
