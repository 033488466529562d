package com.example.platform;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

@RestController
@RequestMapping("/api/hub")
public class HubController {
    private final ObjectMapper json = new ObjectMapper();
    private final byte[] sourceKey = System.getenv("SOURCE_API_KEY").getBytes(UTF_8);
    private final JsonNode manifest = json.readTree(new File("manifest.json"));

    public HubController() throws IOException {}

    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    static class WrongKey extends RuntimeException {}

    @ResponseStatus(HttpStatus.NOT_FOUND)
    static class NoSuchModule extends RuntimeException {}

    /** All records. Replace with a query that reads row by row, such as JdbcTemplate.queryForStream. */
    private MappingIterator<ObjectNode> readRecords() throws IOException {
        return json.readerFor(ObjectNode.class).readValues(new File("records.ndjson"));
    }

    /** Replace with SELECT count(*). */
    private int countRecords(String recordType) throws IOException {
        int count = 0;
        try (MappingIterator<ObjectNode> records = readRecords()) {
            while (records.hasNext()) {
                if (isOf(recordType, records.next())) count++;
            }
        }
        return count;
    }

    /** Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide. */
    private String readVersion(String recordType) {
        File file = new File("records.ndjson");
        return file.length() + "-" + file.lastModified();
    }

    private static boolean isOf(String recordType, JsonNode record) {
        return record.path("record_type").asText().equals(recordType);
    }

    /** Runs before each of the endpoints. */
    @ModelAttribute
    void checkKey(@RequestHeader(name = "X-PLATFORM-API-KEY", defaultValue = "") String given) {
        if (!MessageDigest.isEqual(given.getBytes(UTF_8), sourceKey)) throw new WrongKey();
    }

    @GetMapping("/ping")
    Map<String, Object> ping() {
        return Map.of(
            "success", true,
            "message", manifest.path("platform_title").asText() + " is online.",
            "platform_name", manifest.path("platform_name").asText());
    }

    @GetMapping("/manifest")
    JsonNode manifest() {
        return manifest;
    }

    @GetMapping("/records/{recordType}")
    ResponseEntity<StreamingResponseBody> records(
        @PathVariable("recordType") String recordType, WebRequest request) {
        String moduleName = null;
        for (JsonNode module : manifest.path("modules")) {
            if (isOf(recordType, module)) moduleName = module.path("module_name").asText();
        }
        if (moduleName == null) throw new NoSuchModule();
        // Sets the ETag, and responds with 304 if the hub has this version.
        if (request.checkNotModified(readVersion(recordType))) return null;
        String name = moduleName;
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(out -> {
            try (JsonGenerator writer = json.createGenerator(out);
                MappingIterator<ObjectNode> records = readRecords()) {
                // An error in the loop must not close the list, so the hub knows that the response is incomplete.
                writer.disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT);
                writer.writeStartObject();
                writer.writeBooleanField("success", true);
                writer.writeStringField("platform_name", manifest.path("platform_name").asText());
                writer.writeStringField("module_name", name);
                writer.writeStringField("record_type", recordType);
                writer.writeNumberField("total", countRecords(recordType));
                writer.writeArrayFieldStart("records");
                while (records.hasNext()) {
                    ObjectNode record = records.next();
                    if (isOf(recordType, record)) writer.writeTree(record.without("record_type"));
                }
                writer.writeEndArray();
                writer.writeEndObject();
            }
        });
    }

    @GetMapping("/search")
    ObjectNode search(@RequestParam(name = "query", defaultValue = "") String query) throws IOException {
        String word = query.toLowerCase();
        ArrayNode found = json.createArrayNode();
        try (MappingIterator<ObjectNode> records = readRecords()) {
            while (records.hasNext() && found.size() < 50) {
                ObjectNode record = records.next();
                if (record.toString().toLowerCase().contains(word)) found.add(record);
            }
        }
        ObjectNode result = json.createObjectNode().put("success", true);
        result.put("platform_name", manifest.path("platform_name").asText());
        result.set("records", found);
        return result;
    }
}
