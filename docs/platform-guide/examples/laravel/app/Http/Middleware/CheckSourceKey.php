<?php

namespace App\Http\Middleware;

use Closure;
use Illuminate\Http\Request;

class CheckSourceKey
{
    public function handle(Request $request, Closure $next)
    {
        $expected = (string) config('hub.source_key');
        $given = (string) $request->header('X-PLATFORM-API-KEY');
        if ($expected === '' || ! hash_equals($expected, $given)) {
            return response()->json(['success' => false, 'message' => 'The key is wrong.'], 401);
        }

        return $next($request);
    }
}
