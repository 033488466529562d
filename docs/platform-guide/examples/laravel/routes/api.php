<?php

use App\Http\Controllers\HubController;
use App\Http\Middleware\CheckSourceKey;
use Illuminate\Support\Facades\Route;

// Laravel puts /api before the paths of this file: /api/hub/ping.
Route::prefix('/hub')->middleware(CheckSourceKey::class)->group(function () {
    Route::get('/ping', [HubController::class, 'ping']);
    Route::get('/manifest', [HubController::class, 'manifest']);
    Route::get('/records/{recordType}', [HubController::class, 'records']);
    Route::get('/search', [HubController::class, 'search']);
});
