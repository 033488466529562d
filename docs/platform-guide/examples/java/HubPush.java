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
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

public class HubPush {
    private static final String HUB_URL = System.getenv().getOrDefault("HUB_URL", "https://hub.example.org");
    /** Statuses after which the push is given up. After any other response it is kept and retried. */
    private static final Set<Integer> GIVE_UP = Set.of(400, 405, 410, 413, 415, 422);
    private final HttpClient client = HttpClient.newHttpClient();
    private final Connection database;

    private record Push(long id, String method, String body) {}

    public HubPush(Connection database) {
        this.database = database;
    }

    /** Call it in the transaction that changes the record, so that either both are stored or neither. */
    public void enqueue(String method, ObjectNode record) throws SQLException {
        if (!record.has("occurred_at")) record.put("occurred_at", Instant.now().toString());
        execute("INSERT INTO hub_outbox (method, body) VALUES (?, ?)", method, record.toString());
    }

    /**
     * Sends the pushes of the outbox one after the other until it is empty; one process at a time does so, such as a
     * service that calls it every second.
     *
     * @return the number of pushes that the hub has rejected permanently
     */
    public int deliver() throws SQLException, InterruptedException {
        int rejected = 0;
        long pause = 1;
        for (Push push = oldest(); push != null; push = oldest()) {
            long wait = pause;
            int status = 0;
            String text;
            try {
                HttpResponse<String> response = send(push);
                status = response.statusCode();
                text = response.body();
                String after = response.headers().firstValue("Retry-After").orElse("");
                if (after.matches("\\d{1,9}")) wait = Long.parseLong(after);
            } catch (IOException error) {
                text = error.toString();
            }
            if (status >= 200 && status < 300) {
                execute("DELETE FROM hub_outbox WHERE id = ?", push.id());
                System.out.println(text);
            } else if (GIVE_UP.contains(status)) {
                execute("UPDATE hub_outbox SET rejected_with = ? WHERE id = ?", text, push.id());
                System.err.println("The hub responded with " + status + ": " + text);
                rejected++;
            } else {
                System.err.println("The push is retried after: " + status + " " + text);
                Thread.sleep(wait * 1000);
                pause = Math.min(60, pause * 2);
                continue;
            }
            pause = 1;
        }
        return rejected;
    }

    private HttpResponse<String> send(Push push) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(HUB_URL + "/api/webhook/receive"))
            .timeout(Duration.ofSeconds(10))
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .header("X-API-KEY", System.getenv("HUB_API_KEY"))
            .header("ngrok-skip-browser-warning", "true")
            .method(push.method(), BodyPublishers.ofString(push.body()))
            .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private Push oldest() throws SQLException {
        String query = "SELECT id, method, body FROM hub_outbox WHERE rejected_with IS NULL ORDER BY id LIMIT 1";
        try (PreparedStatement statement = database.prepareStatement(query); ResultSet row = statement.executeQuery()) {
            return row.next() ? new Push(row.getLong(1), row.getString(2), row.getString(3)) : null;
        }
    }

    private void execute(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            for (int at = 0; at < values.length; at++) statement.setObject(at + 1, values[at]);
            statement.executeUpdate();
        }
    }

    /** POST record.json PATCH change.json; without arguments it sends what is still in the outbox. */
    public static void main(String[] pushes) throws Exception {
        ObjectMapper json = new ObjectMapper();
        int rejected;
        // Replace with your own database.
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:outbox.sqlite")) {
            HubPush hub = new HubPush(database);
            hub.execute(Files.readString(Path.of("outbox.sql")));
            database.setAutoCommit(false);
            for (int at = 0; at + 1 < pushes.length; at += 2) {
                hub.enqueue(pushes[at], (ObjectNode) json.readTree(new File(pushes[at + 1])));
            }
            database.commit();
            database.setAutoCommit(true);
            rejected = hub.deliver();
        }
        System.exit(rejected > 0 ? 1 : 0);
    }
}
