import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_VERSION_BYTES } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import type { NewRecordState } from './record.ts'
import { checkPulled, scanPulled } from './record-input.ts'
import { findChangedAlone, toVersion } from './version.ts'

const LONGEST = 'é'.repeat(MAX_VERSION_BYTES / 2)

/** The JSON text of the member `version`, and the version. */
const TEXTS: [json: string, version: string | null][] = [
  ['"1"', '1'],
  ['"2026-03-10T08:00:00.123456Z"', '2026-03-10T08:00:00.123456Z'],
  ['" padded "', ' padded '],
  ['"\\u001f\\""', '\u001f"'],
  ['"👍"', '👍'],
  [JSON.stringify(LONGEST), LONGEST],
  ['0', '0'],
  ['-7', '-7'],
  ['9007199254740993', '9007199254740993'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['""', null],
  [JSON.stringify(`${LONGEST}x`), null],
  ['"\\u0000"', null],
  ['"\\ud800"', null],
  ['1.0', null],
  ['1e3', null],
  ['1.5', null],
  ['true', null],
  ['null', null],
  ['{"a":1}', null],
  ['[]', null],
  [`"${'x'.repeat(5000)}"`, null],
  ['1'.repeat(600), null],
]

describe('a version is a non-empty text or an integer', () => {
  for (const [json, version] of TEXTS) {
    test(`${json.slice(0, 40)} is ${version === null ? 'no version' : 'a version'}`, () => {
      assert.equal(toVersion(parseLossless(json)), version)
      const text = `{"reference_number":"r","full_name":"Ann","data":{},"version":${json}}`
      const parsed = checkPulled(parseLossless(text))
      assert.ok(parsed.outcome === 'valid', 'an invalid version rejects nothing')
      assert.equal(parsed.input.version, version)
      const bytes = Buffer.from(text)
      const scanned = scanPulled(bytes, 0, bytes.length)
      // Text that is not in the stored form is parsed.
      if (scanned) assert.equal(scanned.version, version)
    })
  }

  test('an element without a version has none', () => {
    const bytes = Buffer.from('{"reference_number":"r","full_name":"Ann","data":{"version":"1"}}')
    assert.equal(scanPulled(bytes, 0, bytes.length)?.version, null)
    assert.equal(toVersion(undefined), null)
  })
})

describe('what changed alone', () => {
  const stored: NewRecordState = {
    ...{ full_name: 'Ann', data: '{}', incomplete: false, missing_since: null, field_clocks: null },
    ...{ fingerprint: 'manifest.one', version: '1' },
    ...{ pushed_seq: 0, pushed_at: null, pulled_at: null },
  }
  const rows: [
    string,
    { version: string | null; fingerprint: string },
    'updated' | 'unchanged' | 'stale',
    'version' | 'content' | null,
  ][] = [
    ['only the version', { version: '2', fingerprint: 'manifest.two' }, 'unchanged', 'version'],
    ['only the content', { version: '1', fingerprint: 'manifest.two' }, 'updated', 'content'],
    ['both', { version: '2', fingerprint: 'manifest.two' }, 'updated', null],
    ['a version that ends', { version: null, fingerprint: 'manifest.two' }, 'updated', null],
    ['the manifest', { version: '1', fingerprint: 'other.one' }, 'updated', null],
    ['the form of the JSON', { version: '1', fingerprint: 'manifest.two' }, 'unchanged', null],
    ['a record pushed later', { version: '2', fingerprint: 'manifest.two' }, 'stale', null],
  ]
  for (const [name, content, outcome, expected] of rows) {
    test(`${name}: ${expected ?? 'neither'}`, () => {
      assert.equal(findChangedAlone(stored, content, { outcome }), expected)
      assert.equal(findChangedAlone(null, content, { outcome }), null)
      assert.equal(findChangedAlone({ ...stored, version: null }, content, { outcome }), null)
    })
  }
})
