import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only } from '../../helpers/storage/fixtures.ts'

test('an audit entry is saved in the audit log and not in the activity', async (kit) => {
  const { storage, clock } = kit
  const entry = {
    actor: 'ann@example.org',
    action: 'hub_key.reveal',
    target: 'school',
    address: null,
  } as const
  await storage.activity.appendAudit({ ...entry, details: { reason: 'lost' } })
  const row = only(await kit.runSql('SELECT * FROM audit'))
  const { audit_id: _, ...stored } = row
  const details = '{"reason":"lost"}'
  assert.deepEqual({ ...stored }, { at: clock.text, ...entry, details })
  assert.deepEqual(await kit.activity(), [])
})

test('the database rejects every update of an entry', async (kit) => {
  const { storage } = kit
  const entry = { actor: 'ann', action: 'pull.start', target: null, address: null } as const
  await storage.activity.appendAudit(entry)
  await assert.rejects(kit.runSql(`UPDATE audit SET actor = 'eve'`), /cannot be changed/)
  const [stored] = await kit.runSql('SELECT actor FROM audit')
  assert.equal(stored?.['actor'], 'ann')
})

test('entries are listed newest first, in pages, and filtered by actor, action, target and time', async ({
  storage: { activity },
  clock,
}) => {
  for (const [actor, action, target] of [
    ['ann', 'token.create', 'ci'],
    ['bob', 'token.create', 'ci'],
    ['ann', 'operator.invite', 'eve'],
  ] as const) {
    await activity.appendAudit({ actor, action, target, address: null, details: { n: 1 } })
    clock.advance(60)
  }
  const actions = async (query: Partial<typeof ANY>) =>
    (await activity.listAudit({ ...ANY, ...query })).map((e) => `${e.actor} ${e.action}`)
  const all = await activity.listAudit(ANY)
  assert.deepEqual(
    all.map((entry) => entry.actor),
    ['ann', 'bob', 'ann'],
  )
  assert.deepEqual(all[0]?.details, { n: 1 })
  assert.deepEqual(await actions({ actor: 'bob' }), ['bob token.create'])
  assert.equal((await actions({ action: 'token.create' })).length, 2)
  assert.equal((await actions({ actions: ['token.create', 'pull.start'] })).length, 2)
  assert.equal((await actions({ target: 'eve' })).length, 1)
  assert.equal((await actions({ from: '2026-03-10T08:01:00.000Z' })).length, 2)
  assert.equal((await actions({ until: '2026-03-10T08:01:00.000Z' })).length, 2)
  const before = all[1]?.id ?? null
  assert.deepEqual(await actions({ before }), ['ann token.create'])
  assert.equal((await actions({ limit: 1 })).length, 1)
})

const ANY: Parameters<Storage['activity']['listAudit']>[0] = {
  ...{ actor: null, action: null, actions: null, target: null, from: null, until: null },
  ...{ limit: 50, before: null },
}
