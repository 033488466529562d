<?php

use App\Jobs\PushToHub;
use Illuminate\Support\Facades\Artisan;

// php artisan hub:push POST record.json PATCH change.json
Artisan::command('hub:push {pushes*}', function (array $pushes) {
    foreach (array_chunk($pushes, 2) as [$method, $file]) {
        PushToHub::dispatch($method, (array) json_decode(file_get_contents(base_path($file)), flags: JSON_THROW_ON_ERROR));
    }
});
