<?php

declare(strict_types=1);

/** Statuses after which the push is given up. After any other response it is kept and retried. */
const GIVE_UP = [400, 405, 410, 413, 415, 422];

/** Replace with your own database. */
$database = new PDO('sqlite:outbox.sqlite');
$database->exec(file_get_contents('outbox.sql'));

/** Call it in the transaction that changes the record, so that both are stored or neither is. */
function enqueue(PDO $database, string $method, object $record): void
{
    $record->occurred_at ??= (new DateTimeImmutable())->format(DATE_RFC3339_EXTENDED);
    $body = json_encode($record, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
    $database->prepare('INSERT INTO hub_outbox (method, body) VALUES (?, ?)')->execute([$method, $body]);
}

/**
 * Sends the pushes of the outbox one after the other until it is empty; one process at a time does so, such as a
 * service that calls it every second. Returns the number of pushes that the hub has rejected permanently.
 */
function deliver(PDO $database): int
{
    $oldest = 'SELECT id, method, body FROM hub_outbox WHERE rejected_with IS NULL ORDER BY id LIMIT 1';
    $call = curl_init();
    $rejected = 0;
    $pause = 1;
    while ($push = $database->query($oldest)->fetch(PDO::FETCH_OBJ)) {
        [$status, $text] = send($call, $push->method, $push->body);
        if ($status >= 200 && $status < 300) {
            $database->prepare('DELETE FROM hub_outbox WHERE id = ?')->execute([$push->id]);
            echo $text, "\n";
        } elseif (in_array($status, GIVE_UP, true)) {
            $database->prepare('UPDATE hub_outbox SET rejected_with = ? WHERE id = ?')->execute([$text, $push->id]);
            fwrite(STDERR, "The hub responded with $status: $text\n");
            $rejected++;
        } else {
            fwrite(STDERR, "The push is retried after: $status $text\n");
            sleep(curl_getinfo($call, CURLINFO_RETRY_AFTER) ?: $pause);
            $pause = min(60, $pause * 2);
            continue;
        }
        $pause = 1;
    }

    return $rejected;
}

/** The status and the body of the response; status 0 if there is none. The handle keeps its connection open. */
function send(CurlHandle $call, string $method, string $body): array
{
    curl_setopt_array($call, [
        CURLOPT_URL => (getenv('HUB_URL') ?: 'https://hub.example.org').'/api/webhook/receive',
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => [
            'Accept: application/json',
            'Content-Type: application/json',
            'X-API-KEY: '.getenv('HUB_API_KEY'),
            'ngrok-skip-browser-warning: true',
        ],
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
    ]);
    $text = curl_exec($call);

    return $text === false ? [0, curl_error($call)] : [curl_getinfo($call, CURLINFO_RESPONSE_CODE), $text];
}

// php push.php POST record.json PATCH change.json; without arguments it sends what is still in the outbox.
$database->beginTransaction();
foreach (array_chunk(array_slice($argv, 1), 2) as [$method, $file]) {
    enqueue($database, $method, json_decode(file_get_contents($file), flags: JSON_THROW_ON_ERROR));
}
$database->commit();
exit(deliver($database) > 0 ? 1 : 0);
