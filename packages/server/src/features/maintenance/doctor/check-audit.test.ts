import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { csvLine, escapeFormula } from '../../../lib/files/csv.ts'
import { readStartedReverts, type StartedRevert, withoutUndone } from './check-audit.ts'

const AT = '2026-03-10T08:00:00.000Z'
const HEAD = csvLine(['id', 'at', 'actor', 'action', 'target', 'address', 'details'])

function entry(id: number, scope: unknown, change: Record<string, unknown> = {}) {
  return {
    ...{ id, at: AT, actor: 'ann', action: 'revert.start', target: `revert ${id}`, address: null },
    details: { scope, reason: 'a "bad", list;\n=1' },
    ...change,
  }
}

const toCsv = ({ id, at, actor, action, target, address, details }: ReturnType<typeof entry>) =>
  csvLine(
    [String(id), at, actor, action, target, address ?? '', JSON.stringify(details)].map(
      escapeFormula,
    ),
  )

const read = (...chunks: string[]) => readStartedReverts(Readable.from(chunks))
const ids = (reverts: StartedRevert[]) => reverts.map(({ id }) => id)

test('started reverts are found in both formats of an export, also in single characters', async () => {
  const entries = [
    entry(4, { platform: 'a,b', from: AT, to: AT }),
    entry(3, { pull_id: 7 }, { actor: 'a "quoted"\nname, with a comma' }),
    entry(2, null, { action: 'session.begin', target: 'revert.start' }),
  ]
  const expected = entries.slice(0, 2).map(({ id, details: { scope } }) => ({
    ...{ id, at: AT, revert_id: id, scope },
  }))
  const csv = HEAD + entries.map(toCsv).join('')
  const ndjson = entries.map((one) => `${JSON.stringify(one)}\n`).join('')
  for (const text of [csv, ndjson]) {
    assert.deepEqual(await read(text), expected)
    assert.deepEqual(await read(...text), expected)
  }
})

test('entries that are cut off, enormous or of another form are left out', async () => {
  const good = JSON.stringify(entry(1, { pull_id: 7 }))
  const bad = [
    entry(2, { pull_id: '7' }),
    entry(3, { pull_id: 7, more: 1 }),
    entry(4, { pull_id: 7 }, { target: 'revert 0' }),
    entry(5, { pull_id: 7 }, { at: 5 }),
    entry(6, { pull_id: 7 }, { actor: 'x'.repeat(1 << 20) }),
    entry(7, { pull_id: 7 }, { details: null }),
  ].map((one) => JSON.stringify(one))
  const text = [good, ...bad, 'null', '[1]', good.slice(0, -3)].join('\n')
  assert.deepEqual(ids(await read(text)), [1])
  await assert.rejects(read(), /is empty/)
  await assert.rejects(
    read('{"entries":[{"action":"revert.start"}]}\n'),
    /no export of the audit log/,
  )
  await assert.rejects(read('reference,name\n1,revert.start\n'), /no export of the audit log/)
})

test('reverts that took back each other are not repeated, and one that was done again is', () => {
  const start = (id: number, scope: StartedRevert['scope']) => ({
    ...{ id, at: AT, revert_id: id * 10, scope },
  })
  const first = start(1, { pull_id: 7 })
  const undo = start(2, { revert_id: 10 })
  const redo = start(3, { revert_id: 20 })
  const other = start(4, { revert_id: 5 })
  assert.deepEqual(ids(withoutUndone([other, undo, first])), [4])
  assert.deepEqual(ids(withoutUndone([first, other])), [1, 4])
  assert.deepEqual(ids(withoutUndone([redo, undo, first])), [1])
})
