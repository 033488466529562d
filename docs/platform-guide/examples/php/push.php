<?php

declare(strict_types=1);

/** Sends one record until the hub has it, and gives its answer. Throws where sending again is of no use. */
function push(string $method, object $record): string
{
    $record->occurred_at ??= (new DateTimeImmutable())->format(DATE_RFC3339_EXTENDED);
    for ($pause = 1;; $pause = min(60, $pause * 2)) {
        $call = curl_init((getenv('HUB_URL') ?: 'https://hub.example.org').'/api/webhook/receive');
        curl_setopt_array($call, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => [
                'Accept: application/json',
                'Content-Type: application/json',
                'X-API-KEY: '.getenv('HUB_API_KEY'),
                'ngrok-skip-browser-warning: true',
            ],
            CURLOPT_POSTFIELDS => json_encode($record, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 10,
        ]);
        $answer = curl_exec($call);
        $status = curl_getinfo($call, CURLINFO_RESPONSE_CODE);
        if ($answer === false) {
            fwrite(STDERR, 'No answer from the hub: '.curl_error($call)."\n");
        } elseif ($status >= 200 && $status < 300) {
            return $answer;
        } elseif ($status !== 429 && $status < 500) {
            throw new RuntimeException("The hub answered $status: $answer");
        }
        sleep(curl_getinfo($call, CURLINFO_RETRY_AFTER) ?: $pause);
    }
}

// php push.php POST record.json PATCH change.json: one after the other.
foreach (array_chunk(array_slice($argv, 1), 2) as [$method, $file]) {
    echo push($method, json_decode(file_get_contents($file), flags: JSON_THROW_ON_ERROR)), "\n";
}
