<?php

namespace App\Console;

class Kernel extends \Illuminate\Foundation\Console\Kernel
{
    protected function commands(): void
    {
        require base_path('routes/console.php');
    }
}
