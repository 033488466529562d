<?php

namespace App\Jobs;

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Bus\Dispatchable;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Support\Facades\Http;
use RuntimeException;

class PushToHub implements ShouldQueue
{
    use Dispatchable, InteractsWithQueue, Queueable;

    /** Statuses after which the push is given up. After any other response it is retried. */
    private const GIVE_UP = [400, 405, 410, 413, 415, 422];

    /** Without a limit: the queue keeps the push until the hub has it. */
    public int $tries = 0;

    /** @param 'POST'|'PATCH' $method */
    public function __construct(public string $method, public array $record)
    {
        // Workers may send two changes of a record in the wrong order; with this time the hub knows the newer one.
        $this->record['occurred_at'] ??= now()->toRfc3339String(true);
        $this->afterCommit = true;
    }

    public function handle(): void
    {
        // Without a response this throws, and the queue retries the job.
        $response = Http::timeout(10)->acceptJson()->asJson()->withHeaders([
            'X-API-KEY' => config('hub.key'),
            'ngrok-skip-browser-warning' => 'true',
        ])->send($this->method, config('hub.url').'/api/webhook/receive', ['json' => $this->record]);

        if (in_array($response->status(), self::GIVE_UP, true)) {
            $this->fail(new RuntimeException("The hub responded with {$response->status()}: {$response->body()}"));
        } elseif (! $response->successful()) {
            $this->release((int) ($response->header('Retry-After') ?: min(60, 2 ** min(6, $this->attempts() - 1))));
        }
    }

    /** Seconds between attempts without a response; the last value applies to all further attempts. */
    public function backoff(): array
    {
        return [1, 2, 4, 8, 16, 32, 60];
    }
}
