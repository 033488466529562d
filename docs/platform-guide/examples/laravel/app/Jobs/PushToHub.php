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

    public int $tries = 50;

    /** @param 'POST'|'PATCH' $method */
    public function __construct(public string $method, public array $record)
    {
        // Workers may send two changes of a record in the wrong order; by this the hub knows the newer one.
        $this->record['occurred_at'] ??= now()->toRfc3339String(true);
        $this->afterCommit = true;
    }

    public function handle(): void
    {
        // Where there is no answer, this throws, and the queue tries again.
        $response = Http::timeout(10)->acceptJson()->asJson()->withHeaders([
            'X-API-KEY' => config('hub.key'),
            'ngrok-skip-browser-warning' => 'true',
        ])->send($this->method, config('hub.url').'/api/webhook/receive', ['json' => $this->record]);

        if ($response->status() === 429 || $response->serverError()) {
            $this->release((int) ($response->header('Retry-After') ?: 30));
        } elseif ($response->failed()) {
            $this->fail(new RuntimeException("The hub answered {$response->status()}: {$response->body()}"));
        }
    }

    /** Seconds between tries where there was no answer; the last one for all that follow. */
    public function backoff(): array
    {
        return [1, 2, 4, 8, 16, 32, 60];
    }
}
