import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findForbidden, readLockFiles } from './find-forbidden.ts'

test('every dependency has an allowed licence', () => {
  const [ours, ...programs] = readLockFiles()
  assert.ok(ours && Object.keys(ours).length > 100)
  assert.ok(programs.length >= 5)
  assert.ok(programs.every((packages) => Object.keys(packages).length > 2))
  assert.deepEqual([ours, ...programs].flatMap(findForbidden), [])
})

test('a package with a forbidden, missing or invalid licence is reported', () => {
  const withLicense = (license?: string) => ({ version: '1.0.0', ...(license && { license }) })
  assert.deepEqual(
    findForbidden({
      '': withLicense('UNLICENSED'),
      'packages/ours': withLicense(),
      'node_modules/ours': { link: true },
      'node_modules/chosen': withLicense('(GPL-2.0-only OR MIT)'),
      'node_modules/both': withLicense('MIT AND GPL-2.0-only'),
      'node_modules/a/node_modules/@scope/inner': withLicense('AGPL-3.0-only'),
      'node_modules/none': withLicense(),
      'node_modules/list': withLicense('CC-BY-3.0'),
      'node_modules/development': { ...withLicense('CC-BY-3.0'), dev: true },
      'node_modules/text': withLicense('SEE LICENSE IN LICENSE.md'),
    }),
    [
      'both 1.0.0: MIT AND GPL-2.0-only',
      '@scope/inner 1.0.0: AGPL-3.0-only',
      'none 1.0.0: no licence',
      'list 1.0.0: CC-BY-3.0',
      'text 1.0.0: SEE LICENSE IN LICENSE.md',
    ],
  )
})
