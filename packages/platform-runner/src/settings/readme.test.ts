import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readSettings } from './read-settings.ts'

test('the settings in the README are valid and contain every top-level key', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const text = /```yaml\n([\s\S]+?)```/.exec(readme)?.[1] ?? ''
  const environment = {
    SOURCE_API_KEY: '0123456789abcdef',
    DATABASE_URL: 'postgres://x/y',
    HUB_API_KEY: 'k',
  }
  const read = readSettings(text, { name: 'README', folder: '/' }, environment)
  assert.deepEqual(read.outcome === 'invalid' ? read.issues : [], [])
  assert.deepEqual(Object.keys(Object(parse(text))), [
    'platform',
    'listen',
    'source',
    'modules',
    'push',
  ])
})
