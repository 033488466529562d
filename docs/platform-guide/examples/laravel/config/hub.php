<?php

return [
    'url' => env('HUB_URL', 'https://hub.example.org'),
    'source_key' => env('SOURCE_API_KEY'),
    'key' => env('HUB_API_KEY'),
];
