package haexcel;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.poi.openxml4j.exceptions.InvalidFormatException;
import org.apache.poi.openxml4j.opc.OPCPackage;
import org.apache.poi.openxml4j.opc.PackageAccess;
import org.apache.poi.openxml4j.opc.PackagingURIHelper;
import org.apache.poi.util.XMLHelper;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The parts of a workbook's package and the rules of ECMA-376 part 2 for them:
 * names, content types, relationships. Every part is of a kind that is known here
 * and is validated as such; any other is a fault.
 */
final class WorkbookPackage {
	private static final String TYPES = "/[Content_Types].xml";
	private static final String RELATIONSHIPS_TYPE = "application/vnd.openxmlformats-package.relationships+xml";

	private final ZipFile archive;
	private final Answer answer;
	private final Map<String, ZipArchiveEntry> parts = new LinkedHashMap<>();
	private final Map<String, String> defaults = new HashMap<>();
	private final Map<String, String> overrides = new HashMap<>();

	private WorkbookPackage(ZipFile archive, Answer answer) {
		this.archive = archive;
		this.answer = answer;
	}

	/** Answers every violation that the workbook has. */
	static void check(File file, Answer answer) throws Exception {
		try (ZipFile archive = ZipFile.builder().setFile(file).get()) {
			WorkbookPackage workbook = new WorkbookPackage(archive, answer);
			workbook.readNames();
			workbook.readTypes();
			Relationships relationships = new Relationships(workbook);
			relationships.read();
			for (String part : workbook.names()) {
				if (!Relationships.isPart(part)) {
					workbook.checkPart(part, relationships);
				}
			}
			workbook.compareWithPOI(file);
		}
	}

	Set<String> names() {
		return parts.keySet();
	}

	boolean has(String part) {
		return parts.containsKey(part);
	}

	InputStream open(String part) throws IOException {
		return archive.getInputStream(parts.get(part));
	}

	Answer answer() {
		return answer;
	}

	void violation(String part, String message) {
		answer.violation(part, 0, 0, "", message);
	}

	/** The content type of a part, null where it has none. */
	String contentType(String part) {
		String type = overrides.get(part);
		return type != null ? type : defaults.get(extension(part));
	}

	private static String extension(String part) {
		return part.substring(part.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
	}

	private void readNames() {
		Set<String> seen = new HashSet<>();
		for (ZipArchiveEntry entry : Collections.list(archive.getEntries())) {
			String name = "/" + entry.getName();
			if (!seen.add(name.toLowerCase(Locale.ROOT))) {
				violation(name, "the package has two parts of this name"); // names that differ in case alone are the same
				continue;
			}
			if (name.equals(TYPES)) {
				parts.put(name, entry);
				continue;
			}
			try {
				// It writes the name as a URI, which a valid one is already.
				String part = PackagingURIHelper.createPartName(name).getName();
				if (!part.equals(name)) {
					violation(name, "the name of a part is written as " + part);
					continue;
				}
				parts.put(name, entry);
			} catch (InvalidFormatException | IllegalArgumentException e) {
				violation(name, "not the name of a part: " + e.getMessage());
			}
		}
		for (String name : parts.keySet()) {
			for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
				if (parts.containsKey(name.substring(0, slash))) {
					violation(name, "its name goes on from that of another part");
				}
			}
		}
	}

	/** Reads and takes away the list of content types, which is no part. */
	private void readTypes() throws Exception {
		ZipArchiveEntry entry = parts.get(TYPES);
		if (entry == null) {
			violation(TYPES, "the package has no content types");
			return;
		}
		byte[] content = archive.getInputStream(entry).readAllBytes();
		parts.remove(TYPES);
		if (!OwnSchema.CONTENT_TYPES.validate(new ByteArrayInputStream(content), TYPES, answer)) {
			return;
		}
		Element root = XMLHelper.newDocumentBuilder().parse(new ByteArrayInputStream(content)).getDocumentElement();
		for (Node node = root.getFirstChild(); node != null; node = node.getNextSibling()) {
			if (!(node instanceof Element element)) {
				continue;
			}
			String type = element.getAttribute("ContentType");
			String part = element.getAttribute("PartName");
			String extension = element.getAttribute("Extension").toLowerCase(Locale.ROOT);
			if (element.getLocalName().equals("Default")) {
				if (defaults.put(extension, type) != null) {
					violation(TYPES, "the extension " + extension + " has two content types");
				}
			} else if (overrides.put(part, type) != null) {
				violation(TYPES, "the part " + part + " has two content types");
			} else if (!has(part)) {
				violation(TYPES, "there is no part " + part);
			}
		}
		for (String part : names()) {
			if (contentType(part) == null) {
				violation(part, "it has no content type");
			} else if (Relationships.isPart(part) != contentType(part).equals(RELATIONSHIPS_TYPE)) {
				violation(part, "it is of the content type " + contentType(part));
			}
		}
	}

	private void checkPart(String part, Relationships relationships) throws Exception {
		PartKind kind = PartKind.of(contentType(part));
		if (kind == null) {
			violation(part, "there is no schema for the content type " + contentType(part));
			return;
		}
		try (InputStream content = open(part)) {
			kind.check().run(content, part, answer);
		}
		if (kind.isXML()) {
			relationships.checkUses(part);
		}
	}

	/** POI must see the same parts, of the same content types. */
	private void compareWithPOI(File file) throws IOException {
		try (OPCPackage opened = OPCPackage.open(file, PackageAccess.READ)) {
			Set<String> seen = new HashSet<>();
			for (var part : opened.getParts()) {
				String name = part.getPartName().getName();
				seen.add(name);
				if (!part.getContentType().equals(contentType(name))) {
					violation(name, "POI takes its content type for " + part.getContentType());
				}
			}
			if (!seen.equals(names())) {
				violation("", "POI sees the parts " + seen);
			}
		} catch (InvalidFormatException | RuntimeException e) {
			violation("", "POI refuses the package: " + e.getMessage());
		}
	}
}
