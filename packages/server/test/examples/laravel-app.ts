/** A Laravel application as `laravel new` creates it, on the Laravel package of Debian. */
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SKELETON = fileURLToPath(new URL('./laravel/', import.meta.url))
const LIBRARIES = ['Illuminate', 'GuzzleHttp'].map((name) => `/usr/share/php/${name}/autoload.php`)

/** Returns the missing packages; null if none is missing. */
export function findMissingLaravel(): string | null {
  return LIBRARIES.every(existsSync)
    ? null
    : 'Laravel is not installed (php-laravel-framework, php-guzzlehttp-guzzle)'
}

export function createLaravelApp(folder: string): void {
  cpSync(SKELETON, folder, { recursive: true })
  for (const name of [
    'bootstrap/cache',
    'database',
    'storage/framework/cache',
    'storage/framework/views',
  ]) {
    mkdirSync(join(folder, name), { recursive: true })
  }
}
