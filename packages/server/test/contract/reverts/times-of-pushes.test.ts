/** Holds and `occurred_at`: only the paths that a push sets, since no later push has set them, are compared with holds. */
import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { only } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, StorageKit } from '../../helpers/storage/kit.ts'
import { contents, revert, shown } from '../../helpers/storage/reverts.ts'

const LONG = 'x'.repeat(600)

/** The time of pushes: the platform's own clock, in seconds. */
const at = (second: number) => `2026-03-10T07:00:0${second}.000000000Z`

const HELD = [`{"a":1,"${LONG}":1}`, `{"a":2,"${LONG}":2}`] as const

/** A record with holds on the values 2 of `a`, set at 5, and of the other key, set at 1. */
async function heldRecord(kit: StorageKit): Promise<KitPlatform> {
  const school = await kit.register()
  await school.post({ data: HELD[0] })
  kit.clock.advance(60)
  const from = kit.clock.text
  await school.patch({ data: '{"a":2}', occurred_at: at(5) })
  await school.patch({ data: `{"${LONG}":2}`, occurred_at: at(1) })
  kit.clock.advance(60)
  await revert(kit, { platform: school.platform_name, from, to: kit.clock.text })
  assert.deepEqual(only(Object.values(await contents(kit))), shown(HELD[0]))
  assert.equal(await kit.countRows('holds'), 2)
  return school
}

for (const method of ['post', 'patch'] as const) {
  test(`a ${method} with a refused value at the only held path that it sets is held`, async (kit) => {
    const school = await heldRecord(kit)
    const { outcome } = await school[method]({ data: HELD[1], occurred_at: at(3) })
    const stored = only(Object.values(await contents(kit)))
    assert.deepEqual([outcome, stored, await kit.countRows('holds')], ['held', shown(HELD[0]), 2])
  })
}

test('a POST that sets no held path changes the others and lifts nothing', async (kit) => {
  const school = await heldRecord(kit)
  const data = `{"a":9,"${LONG}":9,"other":1}`
  const { outcome } = await school.post({ data, occurred_at: at(0) })
  const stored = only(Object.values(await contents(kit)))
  const left = shown(`{"a":1,"${LONG}":1,"other":1}`)
  assert.deepEqual([outcome, stored, await kit.countRows('holds')], ['updated', left, 2])
})

test('a POST with another value at a held path that it sets lifts the holds', async (kit) => {
  const school = await heldRecord(kit)
  const { outcome } = await school.post({ data: `{"a":2,"${LONG}":3}`, occurred_at: at(3) })
  const stored = only(Object.values(await contents(kit)))
  const next = shown(`{"a":1,"${LONG}":3}`)
  assert.deepEqual([outcome, stored, await kit.countRows('holds')], ['updated', next, 0])
})
