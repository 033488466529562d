<?php

// Replaces the autoloader of Composer: loads the libraries of Debian and the classes of the application.
require_once 'Illuminate/autoload.php';
require_once 'GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class) {
    $path = dirname(__DIR__).'/'.lcfirst(str_replace('\\', '/', $class)).'.php';
    if (str_starts_with($class, 'App\\') && is_file($path)) {
        require $path;
    }
});
