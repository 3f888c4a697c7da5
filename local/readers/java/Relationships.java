package haexcel;

import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.apache.poi.openxml4j.opc.PackagingURIHelper;
import org.apache.poi.util.XMLHelper;
import org.openxmlformats.schemas.xpackage.x2006.relationships.CTRelationship;
import org.openxmlformats.schemas.xpackage.x2006.relationships.RelationshipsDocument;
import org.openxmlformats.schemas.xpackage.x2006.relationships.STTargetMode;

/** The relationships of a package: what they lead to, and which of them the parts name. */
final class Relationships {
	private static final String PACKAGE = "/"; // as the source of relationships

	private final WorkbookPackage workbook;
	/** By source, then by id: the part led to, or a URI outside of the package. */
	private final Map<String, Map<String, String>> targets = new HashMap<>();
	/** Whether all could be read. Otherwise nobody knows what they lead to. */
	private boolean complete = true;

	Relationships(WorkbookPackage workbook) {
		this.workbook = workbook;
	}

	static boolean isPart(String name) {
		return name.matches("(.*/)?_rels/[^/]*\\.rels");
	}

	/** Reads all relationships; those of the package must lead to every part. */
	void read() throws Exception {
		for (String part : workbook.names()) {
			if (isPart(part)) {
				try (InputStream content = workbook.open(part)) {
					var document = (RelationshipsDocument) Schema.validate(content, RelationshipsDocument.type, part, workbook.answer());
					if (document != null) {
						read(part, document);
					} else {
						complete = false;
					}
				}
			}
		}
		if (complete) {
			follow();
		}
	}

	private void follow() {
		Set<String> reached = new HashSet<>();
		Deque<String> sources = new ArrayDeque<>(Set.of(PACKAGE));
		while (!sources.isEmpty()) {
			for (String target : targets.getOrDefault(sources.pop(), Map.of()).values()) {
				if (reached.add(target)) {
					sources.push(target);
				}
			}
		}
		for (String part : workbook.names()) {
			if (!isPart(part) && !reached.contains(part)) {
				workbook.violation(part, "no relationship leads to it");
			}
		}
	}

	private void read(String part, RelationshipsDocument document) {
		String source = PackagingURIHelper.getSourcePartUriFromRelationshipPartUri(URI.create(part)).getRawPath();
		if (!source.equals(PACKAGE) && !workbook.has(source)) {
			workbook.violation(part, "there is no part " + source + " to have relationships");
		}
		Map<String, String> byId = targets.computeIfAbsent(source, s -> new HashMap<>());
		int books = 0;
		for (CTRelationship relationship : document.getRelationships().getRelationshipList()) {
			byId.put(relationship.getId(), target(part, source, relationship)); // the schema has it that ids differ
			if (PartKind.BOOK.equals(relationship.getType())) {
				books++;
			}
		}
		if (books != (source.equals(PACKAGE) ? 1 : 0)) {
			workbook.violation(part, books + " relationships lead to a workbook");
		}
	}

	/** What a relationship leads to, which must be there and of its type. */
	private String target(String part, String source, CTRelationship relationship) {
		String type = relationship.getType();
		String named = "the relationship " + relationship.getId();
		if (STTargetMode.EXTERNAL.equals(relationship.getTargetMode())) {
			if (!PartKind.LINK.equals(type)) {
				workbook.violation(part, named + " of the type " + type + " leads out of the package");
			}
			return relationship.getTarget();
		}
		String target;
		try {
			target = PackagingURIHelper.resolvePartUri(URI.create(source), new URI(relationship.getTarget())).getRawPath();
		} catch (URISyntaxException e) {
			workbook.violation(part, named + " has a target that is no URI: " + e.getMessage());
			return relationship.getTarget();
		}
		if (!workbook.has(target)) {
			workbook.violation(part, named + " leads to " + target + ", which is not there");
			return target;
		}
		PartKind kind = PartKind.of(workbook.contentType(target));
		if (kind == null || !kind.relationship().equals(type)) {
			workbook.violation(part, named + " of the type " + type + " leads to " + target + ", whose content type is " + workbook.contentType(target));
		}
		return target;
	}

	/** A part names only relationships that it has. */
	void checkUses(String part) throws Exception {
		if (!complete) {
			return;
		}
		Set<String> ids = targets.getOrDefault(part, Map.of()).keySet();
		try (InputStream content = workbook.open(part)) {
			XMLStreamReader xml = XMLHelper.newXMLInputFactory().createXMLStreamReader(content);
			while (xml.hasNext()) {
				if (xml.next() != XMLStreamReader.START_ELEMENT) {
					continue;
				}
				for (int i = 0; i < xml.getAttributeCount(); i++) {
					if (PartKind.RELATIONSHIPS.equals(xml.getAttributeNamespace(i)) && !ids.contains(xml.getAttributeValue(i))) {
						workbook.answer().violation(part, xml.getLocation().getLineNumber(), xml.getLocation().getColumnNumber(), "",
							xml.getLocalName() + " names the relationship " + xml.getAttributeValue(i) + ", which the part does not have");
					}
				}
			}
		} catch (XMLStreamException e) {
			// The schema's check has said so: a part that is no XML names nothing.
		}
	}
}
