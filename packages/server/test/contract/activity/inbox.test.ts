import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'

const AUDIT = { actor: 'ann', address: null, action: 'inbox.acknowledge', target: 'a' } as const

test('an item that is put aside again replaces its mark', async (kit) => {
  const { inbox } = kit.storage
  const mark = { key: 'a', occurrence: 'first', until: null, by: 'ann' }
  await inbox.saveMark(mark, AUDIT)
  kit.clock.advance(60)
  const snoozed = { ...mark, occurrence: 'second', until: kit.clock.text }
  await inbox.saveMark(snoozed, AUDIT)
  assert.deepEqual(await inbox.listMarks(), [{ ...snoozed, at: kit.clock.text }])
})

test('modules with a drift are listed with their keys, and not after the removal of the platform', async (kit) => {
  const school = await kit.register()
  const drift = { unknown: ['x', 'y'], absent: ['a'], wrong_type: [] }
  await kit.write({ ...pushWrite(school), drift })
  const first_at = kit.clock.text
  kit.clock.advance(60)
  await kit.write({
    ...pushWrite(school, { data: '{"y":2}' }),
    drift: { ...drift, unknown: ['y'] },
  })
  const [module, ...others] = await kit.storage.manifests.listDrift()
  assert.deepEqual(others, [])
  assert.deepEqual(module?.keys, ['a', 'y', 'x'])
  assert.deepEqual([module?.first_at, module?.last_at], [first_at, kit.clock.text])
  assert.equal(module?.platform_id, school.platform_id)
})
