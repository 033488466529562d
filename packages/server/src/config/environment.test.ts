import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SettingError } from './config.ts'
import { readSecretFiles } from './environment.ts'
import { SECRET_SETTINGS } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'recordhub-secrets-'))
after(() => rmSync(folder, { recursive: true }))

function fileWith(content: string): string {
  const path = join(mkdtempSync(join(folder, 'secret-')), 'content')
  writeFileSync(path, content)
  return path
}

test('each secret setting can be read from a file, without the newline at its end', () => {
  assert.ok(SECRET_SETTINGS.includes('HUB_SECRET') && SECRET_SETTINGS.includes('DATABASE_URL'))
  for (const name of SECRET_SETTINGS) {
    const variables = { HUB_TIME_ZONE: 'UTC', [`${name}_FILE`]: fileWith(`value of ${name}\n`) }
    assert.deepEqual(readSecretFiles(variables), {
      HUB_TIME_ZONE: 'UTC',
      [name]: `value of ${name}`,
    })
  }
})

test('an empty path counts as not set, and other settings are not read from files', () => {
  const variables = { HUB_SECRET: 'a', HUB_SECRET_FILE: '', HOST_FILE: fileWith('0.0.0.0') }
  assert.deepEqual(readSecretFiles({ ...variables }), {
    HUB_SECRET: 'a',
    HOST_FILE: variables.HOST_FILE,
  })
})

test('a file that does not contain one line is an error that names the variable, not the secret', () => {
  const secret = 'a secret of more than thirty-two characters'
  for (const [path, reason] of [
    [join(folder, 'absent'), /cannot be read \(ENOENT\)/],
    [folder, /cannot be read \(EISDIR\)/],
    [fileWith(' \n'), /is empty/],
    [fileWith(`${secret}\n${secret}\n`), /has several lines/],
  ] as const) {
    assert.throws(
      () => readSecretFiles({ HUB_SECRET_FILE: path }),
      (error) => {
        assert.ok(error instanceof SettingError)
        assert.match(error.message, /^HUB_SECRET_FILE: [^\n]+$/)
        assert.match(error.message, reason)
        assert.ok(!error.message.includes(secret))
        return true
      },
    )
  }
})

test('a secret and its file must not both be set', () => {
  assert.throws(
    () => readSecretFiles({ HUB_SECRET: 'a', HUB_SECRET_FILE: fileWith('b') }),
    /^Error: HUB_SECRET and HUB_SECRET_FILE: set only one of them\.$/,
  )
})
