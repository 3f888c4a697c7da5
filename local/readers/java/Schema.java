package haexcel;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.apache.poi.schemas.ooxml.system.ooxml.TypeSystemHolder;
import org.apache.poi.schemas.vmldrawing.XmlDocument;
import org.apache.poi.util.XMLHelper;
import org.apache.xmlbeans.SchemaType;
import org.apache.xmlbeans.SchemaTypeLoader;
import org.apache.xmlbeans.XmlBeans;
import org.apache.xmlbeans.XmlCursor;
import org.apache.xmlbeans.XmlError;
import org.apache.xmlbeans.XmlException;
import org.apache.xmlbeans.XmlObject;
import org.apache.xmlbeans.XmlOptions;
import org.apache.xmlbeans.XmlValidationError;

/** Validates parts by the schemas of ECMA-376 that poi-ooxml-full holds. */
final class Schema {
	/** As many violations of a part as anybody reads. */
	private static final int MOST = 100;

	private static final String MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
	private static final QName SPACE = new QName("http://www.w3.org/XML/1998/namespace", "space");
	private static final QName TEXT = new QName(MAIN, "t");

	/** All types, for the places where a schema allows elements of others. */
	private static final SchemaTypeLoader TYPES =
		XmlBeans.typeLoaderUnion(TypeSystemHolder.typeSystem, XmlBeans.getBuiltinTypeSystem());

	private Schema() {}

	/** Parses a part, answers its violations and returns it, null where there are any. */
	static XmlObject validate(InputStream content, SchemaType type, String part, Answer answer) throws IOException {
		return validate(content, type, new XmlOptions(), part, answer);
	}

	/**
	 * Validates a part of VML. Its root is in no namespace, but in one in the schema of
	 * it, which is POI's own.
	 */
	static void validateVML(InputStream content, String part, Answer answer) throws IOException {
		SchemaType type = XmlDocument.type;
		XmlOptions loading = new XmlOptions().setLoadReplaceDocumentElement(type.getDocumentElementName());
		byte[] vml = content.readAllBytes();
		validate(new ByteArrayInputStream(vml), type, loading, part, answer);
		try {
			XMLStreamReader root = XMLHelper.newXMLInputFactory().createXMLStreamReader(new ByteArrayInputStream(vml));
			root.nextTag();
			if (!root.getName().equals(new QName("xml"))) {
				answer.violation(part, 0, 0, "", "the root of VML is " + root.getName());
			}
		} catch (XMLStreamException e) {
			// It is no XML, which was answered already.
		}
	}

	private static XmlObject validate(InputStream content, SchemaType type, XmlOptions loading, String part, Answer answer) throws IOException {
		loading.setLoadLineNumbers().setDisallowDocTypeDeclaration(true);
		XmlObject document;
		try {
			document = TYPES.parse(content, type, loading);
		} catch (XmlException e) {
			XmlError error = e.getError();
			answer.violation(part, error == null ? 0 : line(error), error == null ? 0 : column(error), "", e.getMessage());
			return null;
		}
		List<XmlError> errors = new ArrayList<>();
		document.validate(new XmlOptions().setErrorListener(errors));
		errors.removeIf(Schema::isPreservedText);
		for (XmlError error : errors.subList(0, Math.min(errors.size(), MOST))) {
			answer.violation(part, line(error), column(error), path(error.getCursorLocation()), error.getMessage());
		}
		return errors.isEmpty() ? document : null;
	}

	/**
	 * Whether the fault is xml:space="preserve" at a text. The schema of the standard
	 * leaves that attribute out, though Excel, which drops blanks without it, writes it
	 * at every text that needs it and so does everybody else.
	 */
	private static boolean isPreservedText(XmlError error) {
		if (!(error instanceof XmlValidationError fault) || fault.getErrorType() != XmlValidationError.INCORRECT_ATTRIBUTE
			|| !SPACE.equals(fault.getOffendingQName())) {
			return false;
		}
		try (XmlCursor at = error.getCursorLocation().newCursor()) {
			if (at.isAttr()) {
				at.toParent();
			}
			return TEXT.equals(at.getName()) && "preserve".equals(at.getAttributeText(SPACE));
		}
	}

	private static int line(XmlError error) {
		return Math.max(error.getLine(), 0);
	}

	private static int column(XmlError error) {
		return Math.max(error.getColumn(), 0);
	}

	/** The way to an element or an attribute, such as worksheet/sheetData/row[2]/c[3]/@t. */
	private static String path(XmlCursor location) {
		StringBuilder path = new StringBuilder();
		try (XmlCursor at = location.newCursor()) {
			while (!at.isStartdoc()) {
				String step = null;
				if (at.isAttr()) {
					step = "@" + at.getName().getLocalPart();
				} else if (at.isStart()) {
					step = at.getName().getLocalPart() + position(at);
				}
				if (step != null) {
					path.insert(0, path.length() == 0 ? step : step + "/");
				}
				if (!at.toParent()) {
					break;
				}
			}
		}
		return path.toString();
	}

	/** An element's number among those of its name, where there are several before it. */
	private static String position(XmlCursor element) {
		int number = 1;
		try (XmlCursor before = element.newCursor()) {
			while (before.toPrevSibling()) {
				if (before.getName().equals(element.getName())) {
					number++;
				}
			}
		}
		return number == 1 ? "" : "[" + number + "]";
	}
}
