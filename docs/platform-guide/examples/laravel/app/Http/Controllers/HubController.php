<?php

namespace App\Http\Controllers;

use Generator;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Symfony\Component\HttpFoundation\Response;

class HubController
{
    private const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;

    public function ping(): JsonResponse
    {
        $manifest = $this->readManifest();

        return $this->respond([
            'success' => true,
            'message' => "$manifest->platform_title is online.",
            'platform_name' => $manifest->platform_name,
        ]);
    }

    public function manifest(): JsonResponse
    {
        return $this->respond($this->readManifest());
    }

    public function records(Request $request, string $recordType): Response
    {
        $manifest = $this->readManifest();
        $module = collect($manifest->modules)->firstWhere('record_type', $recordType);
        if ($module === null) {
            return $this->respond(['success' => false, 'message' => 'No such module.'], 404);
        }
        // Read it before the records, so that a change during the response leads to another version.
        $notModified = response('')->setEtag($this->readVersion($recordType));
        if ($notModified->isNotModified($request)) {
            return $notModified;
        }
        $head = json_encode([
            'success' => true,
            'platform_name' => $manifest->platform_name,
            'module_name' => $module->module_name,
            'record_type' => $recordType,
            'total' => $this->countRecords($recordType),
        ], self::JSON);

        return response()->stream(function () use ($head, $recordType) {
            set_time_limit(0);
            echo substr($head, 0, -1), ',"records":[';
            $comma = '';
            // An error in the loop ends the response before the list is closed, so the hub knows that it is incomplete.
            foreach ($this->readRecords($recordType) as $record) {
                unset($record->record_type);
                echo $comma, json_encode($record, self::JSON);
                $comma = ',';
            }
            echo ']}';
        }, 200, ['Content-Type' => 'application/json', 'ETag' => $notModified->getEtag()]);
    }

    public function search(Request $request): JsonResponse
    {
        $word = mb_strtolower((string) $request->query('query', ''));
        $found = [];
        foreach ($this->readRecords() as $record) {
            if (str_contains(mb_strtolower(json_encode($record, self::JSON)), $word) && array_push($found, $record) === 50) {
                break;
            }
        }

        return $this->respond([
            'success' => true,
            'platform_name' => $this->readManifest()->platform_name,
            'records' => $found,
        ]);
    }

    /** All records, or those of one module. Replace with a query that reads row by row: Employee::lazyById(). */
    private function readRecords(?string $recordType = null): Generator
    {
        $file = fopen(base_path('records.ndjson'), 'r');
        while (($line = fgets($file)) !== false) {
            $record = json_decode($line, flags: self::JSON);
            if ($recordType === null || $record->record_type === $recordType) {
                yield $record;
            }
        }
        fclose($file);
    }

    /** Replace with Employee::count(). */
    private function countRecords(string $recordType): int
    {
        return iterator_count($this->readRecords($recordType));
    }

    /** Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide. */
    private function readVersion(string $recordType): string
    {
        return hash_file('sha256', base_path('records.ndjson'));
    }

    private function readManifest(): object
    {
        return json_decode(file_get_contents(base_path('manifest.json')), flags: self::JSON);
    }

    private function respond(mixed $body, int $status = 200): JsonResponse
    {
        return response()->json($body, $status, [], self::JSON);
    }
}
