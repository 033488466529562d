package com.example.platform;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;

public class HubPush {
    private static final String HUB_URL = System.getenv().getOrDefault("HUB_URL", "https://hub.example.org");
    private final HttpClient client = HttpClient.newHttpClient();

    /**
     * Sends one record until the hub has it, and gives its answer.
     *
     * @throws IllegalArgumentException where sending again is of no use
     */
    public String push(String method, ObjectNode record) throws InterruptedException {
        if (!record.has("occurred_at")) record.put("occurred_at", Instant.now().toString());
        HttpRequest request = HttpRequest.newBuilder(URI.create(HUB_URL + "/api/webhook/receive"))
            .timeout(Duration.ofSeconds(10))
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .header("X-API-KEY", System.getenv("HUB_API_KEY"))
            .header("ngrok-skip-browser-warning", "true")
            .method(method, BodyPublishers.ofString(record.toString()))
            .build();
        for (long pause = 1; ; pause = Math.min(60, pause * 2)) {
            long wait = pause;
            try {
                HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
                int status = response.statusCode();
                if (status >= 200 && status < 300) return response.body();
                if (status != 429 && status < 500) {
                    throw new IllegalArgumentException("The hub answered " + status + ": " + response.body());
                }
                String after = response.headers().firstValue("Retry-After").orElse("");
                if (after.matches("\\d{1,9}")) wait = Long.parseLong(after);
            } catch (IOException error) {
                System.err.println("No answer from the hub: " + error);
            }
            Thread.sleep(wait * 1000);
        }
    }

    /** POST record.json PATCH change.json: one after the other. */
    public static void main(String[] pushes) throws Exception {
        HubPush hub = new HubPush();
        ObjectMapper json = new ObjectMapper();
        for (int at = 0; at + 1 < pushes.length; at += 2) {
            ObjectNode record = (ObjectNode) json.readTree(new File(pushes[at + 1]));
            System.out.println(hub.push(pushes[at], record));
        }
    }
}
