<?php

declare(strict_types=1);

const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;

$sourceKey = (string) getenv('SOURCE_API_KEY');
$manifest = json_decode(file_get_contents(__DIR__.'/manifest.json'), flags: JSON);

/** All records, or those of one module. Replace with a query that reads row by row, such as PDO's fetch(). */
function readRecords(?string $recordType = null): Generator
{
    $file = fopen(__DIR__.'/records.ndjson', 'r');
    while (($line = fgets($file)) !== false) {
        $record = json_decode($line, flags: JSON);
        if ($recordType === null || $record->record_type === $recordType) {
            yield $record;
        }
    }
    fclose($file);
}

/** Replace with SELECT count(*). */
function countRecords(string $recordType): int
{
    return iterator_count(readRecords($recordType));
}

/** Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide. */
function readVersion(string $recordType): string
{
    return hash_file('sha256', __DIR__.'/records.ndjson');
}

/** Changes whenever anything in the record changes. Replace with a column, such as updated_at with microseconds. */
function versionOf(object $record): string
{
    return md5(json_encode([$record->full_name, $record->data], JSON));
}

/** Whether a hash begins with one of the prefixes. Replace with a WHERE. */
function hasPrefix(string $hash, ?string $prefixes): bool
{
    return $prefixes === null || preg_match('/^('.strtr($prefixes, ',', '|').')/', $hash) === 1;
}

/** The prefixes of a request: at most 100, of 1 to 8 hex digits; null without any. */
function readPrefixes(): ?string
{
    $prefixes = $_GET['prefix'] ?? null;
    if ($prefixes !== null && (! is_string($prefixes) || preg_match('/^[0-9a-f]{1,8}(,[0-9a-f]{1,8}){0,99}$/D', $prefixes) !== 1)) {
        respond(400, ['success' => false, 'message' => 'prefix must have hex digits.']);
    }
    return $prefixes;
}

function respond(int $status, mixed $body): never
{
    http_response_code($status);
    exit(json_encode($body, JSON));
}

function sendRecords(object $manifest, string $recordType): never
{
    $module = array_column($manifest->modules, null, 'record_type')[$recordType] ?? null;
    if ($module === null) {
        respond(404, ['success' => false, 'message' => 'No such module.']);
    }
    $prefix = readPrefixes();
    // Read it before the records, so that a change during the response leads to another version.
    $etag = '"'.readVersion($recordType).'"';
    if ($prefix === null) {
        header("ETag: $etag");
    }
    if ($prefix === null && str_contains($_SERVER['HTTP_IF_NONE_MATCH'] ?? '', $etag)) {
        http_response_code(304);
        exit;
    }
    $head = json_encode([
        'success' => true,
        'platform_name' => $manifest->platform_name,
        'module_name' => $module->module_name,
        'record_type' => $recordType,
    ] + ($prefix === null ? ['total' => countRecords($recordType)] : ['prefix' => $prefix]), JSON);
    set_time_limit(0);
    echo substr($head, 0, -1), ',"records":[';
    $comma = '';
    // An error in the loop ends the response before the list is closed, so the hub knows that it is incomplete.
    foreach (readRecords($recordType) as $record) {
        if (! hasPrefix(md5($record->reference_number), $prefix)) {
            continue;
        }
        unset($record->record_type);
        $record->version = versionOf($record);
        echo $comma, json_encode($record, JSON);
        $comma = ',';
    }
    exit(']}');
}

/** Replace the loop with the query of "The digest" in the guide. */
function sendDigest(object $manifest, string $recordType): never
{
    $digits = (string) ($_GET['digits'] ?? '');
    if (! in_array($recordType, array_column($manifest->modules, 'record_type'), true)) {
        respond(404, ['success' => false, 'message' => 'No such module.']);
    }
    if (preg_match('/^[1-8]$/D', $digits) !== 1) {
        respond(400, ['success' => false, 'message' => 'digits must be 1 to 8.']);
    }
    $prefix = readPrefixes();
    set_time_limit(0);
    $buckets = [];
    foreach (readRecords($recordType) as $record) {
        $hash = md5($record->reference_number);
        if (! hasPrefix($hash, $prefix)) {
            continue;
        }
        $part = hexdec(substr(md5("$record->reference_number\x1f".versionOf($record)), 0, 12));
        // A prefix of decimal digits would become an integer as a key.
        $bucket = &$buckets['b'.substr($hash, 0, (int) $digits)];
        $bucket = [substr($hash, 0, (int) $digits), ($bucket[1] ?? 0) + 1, (($bucket[2] ?? 0) + $part) % 2 ** 48];
        unset($bucket);
    }
    respond(200, [
        'success' => true,
        'platform_name' => $manifest->platform_name,
        'record_type' => $recordType,
        'digits' => (int) $digits,
        'buckets' => array_values($buckets),
    ]);
}

function sendSearchResults(object $manifest, string $query): never
{
    // Ignores case in every language, without the extension mbstring.
    $pattern = '/'.preg_quote($query, '/').'/iu';
    $found = [];
    foreach (readRecords() as $record) {
        if (preg_match($pattern, json_encode($record, JSON)) === 1 && array_push($found, $record) === 50) {
            break;
        }
    }
    respond(200, ['success' => true, 'platform_name' => $manifest->platform_name, 'records' => $found]);
}

header('Content-Type: application/json');
if ($sourceKey === '' || ! hash_equals($sourceKey, $_SERVER['HTTP_X_PLATFORM_API_KEY'] ?? '')) {
    respond(401, ['success' => false, 'message' => 'The key is wrong.']);
}
$path = explode('/', rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)), 5);
if (($path[3] ?? '') === 'records' && str_ends_with($path[4] ?? '', '/digest')) {
    sendDigest($manifest, substr($path[4], 0, -strlen('/digest')));
}
match (implode('/', array_slice($path, 0, 4)).(isset($path[4]) ? '/' : '')) {
    '/api/hub/ping' => respond(200, [
        'success' => true,
        'message' => "$manifest->platform_title is online.",
        'platform_name' => $manifest->platform_name,
    ]),
    '/api/hub/manifest' => respond(200, $manifest),
    '/api/hub/records/' => sendRecords($manifest, $path[4]),
    '/api/hub/search' => sendSearchResults($manifest, (string) ($_GET['query'] ?? '')),
    default => respond(404, ['success' => false, 'message' => 'No such endpoint.']),
};
