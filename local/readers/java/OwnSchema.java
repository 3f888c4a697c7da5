package haexcel;

import java.io.IOException;
import java.io.InputStream;
import javax.xml.XMLConstants;
import javax.xml.transform.stax.StAXSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import javax.xml.stream.XMLStreamException;
import org.apache.poi.util.XMLHelper;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/** The schemas of what poi-ooxml-full has none for, written after ECMA-376 part 2. */
enum OwnSchema {
	CONTENT_TYPES("content-types.xsd"),
	CORE_PROPERTIES("core-properties.xsd");

	private final Schema schema;

	OwnSchema(String name) {
		try {
			schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(OwnSchema.class.getResource("/" + name));
		} catch (SAXException e) {
			throw new IllegalStateException(name, e);
		}
	}

	/** Answers the violations of a part and returns whether there are none. */
	boolean validate(InputStream content, String part, Answer answer) throws IOException {
		Reporter reporter = new Reporter(part, answer);
		Validator validator = schema.newValidator();
		validator.setErrorHandler(reporter);
		try {
			validator.validate(new StAXSource(XMLHelper.newXMLInputFactory().createXMLStreamReader(content)));
		} catch (XMLStreamException e) {
			reporter.report(e.getLocation() == null ? 0 : e.getLocation().getLineNumber(), e.getLocation() == null ? 0 : e.getLocation().getColumnNumber(), e.getMessage());
		} catch (SAXException e) {
			if (reporter.valid) {
				reporter.report(0, 0, e.getMessage());
			}
		}
		return reporter.valid;
	}

	private static final class Reporter implements ErrorHandler {
		private final String part;
		private final Answer answer;
		private boolean valid = true;

		Reporter(String part, Answer answer) {
			this.part = part;
			this.answer = answer;
		}

		void report(int line, int column, String message) {
			valid = false;
			answer.violation(part, Math.max(line, 0), Math.max(column, 0), "", message);
		}

		@Override
		public void warning(SAXParseException e) {
			error(e);
		}

		@Override
		public void error(SAXParseException e) {
			report(e.getLineNumber(), e.getColumnNumber(), e.getMessage());
		}

		@Override
		public void fatalError(SAXParseException e) throws SAXException {
			error(e);
			throw e;
		}
	}
}
