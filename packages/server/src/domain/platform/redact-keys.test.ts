import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { REMOVED_KEY, redactKeys, redactText } from './redact-keys.ts'

const KEY = 'rhk_0123456789abcdefghijABCDEFGHIJ'

test('hub keys are redacted in any value or member name', () => {
  const body = JSON.stringify({ a: `Bearer ${KEY}!`, b: [{ [KEY]: 1 }], c: 'rhk_short' })
  assert.equal(
    redactKeys(body),
    JSON.stringify({ a: `Bearer ${REMOVED_KEY}!`, b: [{ [REMOVED_KEY]: 1 }], c: 'rhk_short' }),
  )
})

test('the values of members named like an API key are redacted', () => {
  const names = ['X-API-KEY', 'api_key', 'apiKey', 'X-PLATFORM-API-KEY', 'Authorization']
  for (const name of names) {
    const redacted = redactKeys(JSON.stringify({ data: { [name]: ['a', 'b'] } }))
    assert.equal(redacted, JSON.stringify({ data: { [name]: REMOVED_KEY } }), name)
  }
})

test('members with similar names are not changed, and numbers keep their digits', () => {
  const body = '{"apiKeyboard":"x","my_api_key_note":"y","n":1.10,"rht_":12345678901234567890}'
  assert.equal(redactKeys(body), body)
})

test('a known key is redacted even if JSON escapes it', () => {
  const key = 'a "quoted" key'
  const body = JSON.stringify({ note: `it is ${key}.` })
  assert.equal(redactKeys(body, [key, '']), JSON.stringify({ note: `it is ${REMOVED_KEY}.` }))
})

test('a known key is redacted in every encoding, and the rest of the text is not changed', () => {
  const key = 'a key/with+signs=1'
  const bytes = Buffer.from(key)
  const hex = bytes.toString('hex')
  const percent = encodeURIComponent(key)
  const forms = [key, percent, percent.toLowerCase(), bytes.toString('base64url'), hex]
  forms.push(hex.toUpperCase())
  for (const form of [...forms, bytes.toString('base64')]) {
    assert.equal(redactText(`It is "${form}".`, [key]), `It is "${REMOVED_KEY}".`)
    assert.ok(!redactKeys(JSON.stringify({ [form]: [form] }), [key]).includes(form))
  }
  assert.equal(redactText(`${KEY}, `, []), `${REMOVED_KEY}, `)
})

test('a known key is redacted in base64 at any offset within another text', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8 }).filter((key) => key.trim() !== ''),
      fc.uint8Array({ maxLength: 7 }),
      fc.uint8Array({ maxLength: 7 }),
      fc.constantFrom('base64', 'base64url'),
      (key, before, after, encoding) => {
        const bytes = Buffer.from(key)
        const encoded = Buffer.concat([before, bytes, after]).toString(encoding)
        const redacted = redactText(encoded, [key])
        assert.ok(redacted.includes(REMOVED_KEY))
        // What remains of the key are less than 12 bits at its ends.
        const removed = encoded.length - (redacted.length - REMOVED_KEY.length)
        assert.ok(removed * 6 > bytes.length * 8 - 12)
      },
    ),
  )
})

test('a text that is too short for a key is not redacted', () => {
  const body = JSON.stringify({ status: 'open', note: 'opened' })
  assert.equal(redactKeys(body, ['open', '']), body)
  assert.equal(redactText('opened', ['open', '']), 'opened')
})

test('a body nested too deeply to scan is redacted completely', () => {
  const deep = `${'['.repeat(100_000)}"${KEY}"${']'.repeat(100_000)}`
  assert.equal(redactKeys(deep), JSON.stringify(REMOVED_KEY))
})

test('a body without keys is unchanged', () => {
  fc.assert(
    fc.property(fc.json(), (body) => {
      fc.pre(!/rh[kt]_|api|auth/i.test(body))
      assert.equal(redactKeys(body, ['none of it']), body)
    }),
  )
})

test('no redacted body contains a hub key', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (one, other) => {
      const body = JSON.stringify({ one: JSON.parse(one), [`k${KEY}`]: `${other}${KEY}` })
      assert.ok(!redactKeys(body).includes(KEY))
    }),
  )
})
