import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { createKey, HUB_KEY_PREFIX } from '../platform/api-key.ts'
import {
  countBySource,
  maskHint,
  maskUnknownKey,
  matchSource,
  UNKNOWN_PLATFORM,
} from './push-errors.ts'

const SCHOOL = {
  platform_id: 1,
  platform_name: 'school',
  key_hints: ['rhk_abc…'],
  addresses: ['192.0.2.7'],
}
const LIBRARY = { ...SCHOOL, platform_id: 2, platform_name: 'library', key_hints: ['rhk_xyz…'] }
const sender = { platform_id: null, key_hint: null, address: null }

test('an unknown key is masked except for its beginning, and a short one completely', () => {
  const cases: [string, string | null][] = [
    ['', null],
    ['rhk_wrongkey', 'rhk_wro…'],
    ['rhk_', 'rhk_…'],
    ['rhk_a\u00e9b', 'rhk_a?b…'],
    ['a-source-key-of-theirs', 'a-s…'],
    ['hunter2', '…'],
  ]
  for (const [key, shown] of cases) assert.equal(maskUnknownKey(key), shown, key)
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 1 }), (key) => {
      const shown = maskUnknownKey(key) ?? ''
      assert.match(shown, /^[\x20-\x7e]{0,7}…$/)
    }),
  )
})

test('a key and its stored hint have the same masked form', () => {
  const { key, hint } = createKey(HUB_KEY_PREFIX)
  assert.equal(maskUnknownKey(key), maskHint(hint))
})

test('a sender matches a platform by its valid key, or else by a key prefix or an address', () => {
  assert.equal(matchSource(sender, SCHOOL), null)
  assert.equal(matchSource({ ...sender, platform_id: 1 }, SCHOOL), 'key')
  assert.equal(matchSource({ ...sender, key_hint: 'rhk_abc…' }, SCHOOL), 'key_prefix')
  assert.equal(matchSource({ ...sender, address: '192.0.2.7' }, SCHOOL), 'address')
  assert.equal(matchSource({ ...sender, address: '192.0.2.8' }, SCHOOL), null)
  // A valid key identifies the platform, even if other platforms use the address.
  assert.equal(matchSource({ ...sender, platform_id: 1, address: '192.0.2.7' }, LIBRARY), null)
})

test('rejected requests are counted for each matching platform, and otherwise for unknown senders', () => {
  const counts = [
    { ...sender, address: '192.0.2.7', requests: 3 },
    { ...sender, key_hint: 'rhk_abc…', requests: 4 },
    { ...sender, address: '198.51.100.1', requests: 5 },
  ]
  const rejected = countBySource(counts, [SCHOOL, LIBRARY]).map((count) => [
    count.platform_id,
    count.rejected,
  ])
  assert.deepEqual(rejected, [
    [UNKNOWN_PLATFORM, 5],
    [1, 7],
    [2, 3],
  ])
  // Once a sender is known, its requests are no longer those of an unknown one.
  assert.deepEqual(countBySource(counts.slice(0, 1), [SCHOOL]), [
    { platform_id: UNKNOWN_PLATFORM, pushes: 0, rejected: 0 },
    { platform_id: 1, pushes: 0, rejected: 3 },
  ])
})
