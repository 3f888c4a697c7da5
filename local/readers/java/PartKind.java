package haexcel;

import java.io.InputStream;
import java.util.List;
import javax.imageio.IIOException;
import javax.imageio.ImageIO;
import org.apache.xmlbeans.SchemaType;
import org.openxmlformats.schemas.drawingml.x2006.chart.ChartSpaceDocument;
import org.openxmlformats.schemas.drawingml.x2006.main.ThemeDocument;
import org.openxmlformats.schemas.drawingml.x2006.spreadsheetDrawing.WsDrDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.CalcChainDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.CommentsDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.SstDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.StyleSheetDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.TableDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.WorkbookDocument;
import org.openxmlformats.schemas.spreadsheetml.x2006.main.WorksheetDocument;

/** A kind of part: its content type, the relationship that leads to it, and what it must be. */
record PartKind(String contentType, String relationship, Check check) {
	static final String RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
	static final String BOOK = RELATIONSHIPS + "/officeDocument";
	static final String LINK = RELATIONSHIPS + "/hyperlink";

	private static final String OFFICE = "application/vnd.openxmlformats-officedocument.";
	private static final String SHEETS = OFFICE + "spreadsheetml.";

	/** Looks into a part and answers its violations. */
	interface Check {
		void run(InputStream content, String part, Answer answer) throws Exception;
	}

	private static final List<PartKind> KINDS = List.of(
		xml(SHEETS + "sheet.main", "officeDocument", WorkbookDocument.type),
		xml(SHEETS + "worksheet", "worksheet", WorksheetDocument.type),
		xml(SHEETS + "styles", "styles", StyleSheetDocument.type),
		xml(SHEETS + "sharedStrings", "sharedStrings", SstDocument.type),
		xml(SHEETS + "comments", "comments", CommentsDocument.type),
		xml(SHEETS + "table", "table", TableDocument.type),
		xml(SHEETS + "calcChain", "calcChain", CalcChainDocument.type),
		xml(OFFICE + "theme", "theme", ThemeDocument.type),
		xml(OFFICE + "drawing", "drawing", WsDrDocument.type),
		xml(OFFICE + "drawingml.chart", "chart", ChartSpaceDocument.type),
		xml(OFFICE + "extended-properties", "extended-properties",
			org.openxmlformats.schemas.officeDocument.x2006.extendedProperties.PropertiesDocument.type),
		xml(OFFICE + "custom-properties", "custom-properties",
			org.openxmlformats.schemas.officeDocument.x2006.customProperties.PropertiesDocument.type),
		new PartKind("application/vnd.openxmlformats-package.core-properties+xml",
			"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", OwnSchema.CORE_PROPERTIES::validate),
		new PartKind(OFFICE + "vmlDrawing", RELATIONSHIPS + "/vmlDrawing", Schema::validateVML),
		image("png"), image("jpeg"), image("gif"));

	/** The kind of a content type, null where there is none. */
	static PartKind of(String contentType) {
		for (PartKind kind : KINDS) {
			if (kind.contentType.equals(contentType)) {
				return kind;
			}
		}
		return null;
	}

	boolean isXML() {
		return !contentType.startsWith("image/");
	}

	private static PartKind xml(String name, String relationship, SchemaType type) {
		return new PartKind(name + "+xml", RELATIONSHIPS + "/" + relationship, (content, part, answer) -> Schema.validate(content, type, part, answer));
	}

	private static PartKind image(String format) {
		return new PartKind("image/" + format, RELATIONSHIPS + "/image", (content, part, answer) -> {
			String fault;
			try {
				fault = ImageIO.read(content) == null ? "it is no picture" : null;
			} catch (IIOException e) {
				fault = e.getMessage();
			}
			if (fault != null) {
				answer.violation(part, 0, 0, "", fault);
			}
		});
	}
}
