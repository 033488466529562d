/** A Laravel application as `laravel new` creates it, on the Laravel package of Debian. */
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SKELETON = fileURLToPath(new URL('./laravel/', import.meta.url))
const PARTS = ['Illuminate', 'GuzzleHttp'].map((name) => `/usr/share/php/${name}/autoload.php`)

export function findLaravel(): string | null {
  return PARTS.every(existsSync)
    ? null
    : 'there is no Laravel (php-laravel-framework, php-guzzlehttp-guzzle)'
}

export function layOutLaravel(folder: string): void {
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
