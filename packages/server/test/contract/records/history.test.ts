import assert from 'node:assert/strict'
import type { HistoryRow } from '../../../src/storage/port/record-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushWrite } from '../../helpers/storage/fixtures.ts'
import { READ_AT } from '../../helpers/storage/missing.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

test('creating a record by push or pull adds no history entry', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const pushed = await school.post()
  const pulled = await kit.writeOne(pullWrite(read, { reference: 'r-2' }))
  assert.deepEqual(await kit.history(pushed.record_id), [])
  assert.deepEqual(await kit.history(pulled.record_id), [])
})

test('each change is one entry with source, time, pull id and request id, newest first', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":1}' })
  const at = ['2026-03-10T09:00:00.000Z', '2026-03-10T10:00:00.000Z', '2026-03-10T11:00:00.000Z']
  kit.clock.set(at[0] ?? '')
  await school.post({ data: '{"a":2}', request_id: 'q-2' })
  kit.clock.set(at[1] ?? '')
  const patch = pushWrite(school, { source: 'PATCH', data: '{"b":1}', request_id: 'q-3' })
  await kit.writeOne(patch)
  kit.clock.set(at[2] ?? '')
  const read = await school.startRead()
  await kit.writeOne(pullWrite(read, { data: '{"a":2}' }))
  const { change_seq } = await kit.record(record_id)
  const history = await kit.history(record_id)
  assert.equal(history[0]?.change_seq, change_seq)
  const pull_id = read.read.pull_id
  assert.deepEqual(
    history.map(({ change_seq: _, ...entry }) => entry),
    [
      {
        at: at[2],
        source: 'pull',
        changes: '[{"path":"/data/b","before":1}]',
        pull_id,
        request_id: null,
        revert_id: null,
      },
      {
        at: at[1],
        source: 'PATCH',
        changes: '[{"path":"/data/b","after":1}]',
        pull_id: null,
        request_id: 'q-3',
        revert_id: null,
      },
      {
        at: at[0],
        source: 'POST',
        changes: '[{"path":"/data/a","before":1,"after":2}]',
        pull_id: null,
        request_id: 'q-2',
        revert_id: null,
      },
    ],
  )
})

test('before and after have the exact values, and an absent side is omitted', async (kit) => {
  const school = await kit.register()
  const before = '{"price":1.10,"big":12345678901234567890,"removed":null,"same":1e2,"deep":[1.0]}'
  const after =
    '{"price":1.1,"big":12345678901234567891,"added":-0,"same":1e2,"deep":{"x":"\\ud800"}}'
  const { record_id } = await school.post({ data: before })
  await school.post({ full_name: 'Bob "B"', data: after })
  const { changes } = only(await kit.history(record_id))
  const expected = [
    '{"path":"/full_name","before":"Ann","after":"Bob \\"B\\""}',
    '{"path":"/data/price","before":1.10,"after":1.1}',
    '{"path":"/data/big","before":12345678901234567890,"after":12345678901234567891}',
    '{"path":"/data/removed","before":null}',
    '{"path":"/data/deep","before":[1.0],"after":{"x":"\\ud800"}}',
    '{"path":"/data/added","after":-0}',
  ]
  assert.equal(changes, `[${expected.join(',')}]`)
})

test('a path is a JSON Pointer for every possible key', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post()
  const keys = ['', 'a/b', '~', '~1', '"', '\u0000', '\ud800', 'constructor', 'é']
  const data = JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1])))
  await school.patch({ data })
  const { changes } = only(await kit.history(record_id))
  const parsed: { path: string; after: number }[] = JSON.parse(changes)
  assert.deepEqual(
    parsed.map((change) => change.path),
    [
      '/data/',
      '/data/a~1b',
      '/data/~0',
      '/data/~01',
      '/data/"',
      '/data/\u0000',
      '/data/\ud800',
      '/data/constructor',
      '/data/é',
    ],
  )
})

test('marking as missing, reappearing and completing a record are each recorded once', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.patch()
  const read = await school.startRead()
  await kit.markMissing(read, ['r-1'])
  await kit.markMissing(read, ['r-1'])
  const push = pushWrite(school, { full_name: '', request_id: 'q-2' })
  await kit.write(push, push)
  const entries = await kit.history(record_id)
  const { pull_id } = read.read
  const since = `"${READ_AT}"`
  assert.deepEqual(
    entries.map(({ change_seq: _, at: __, ...entry }) => entry),
    [
      {
        source: 'POST',
        changes: `[{"path":"/incomplete","before":true,"after":false},{"path":"/missing_since","before":${since},"after":null}]`,
        pull_id: null,
        request_id: 'q-2',
        revert_id: null,
      },
      {
        source: 'pull',
        changes: `[{"path":"/missing_since","before":null,"after":${since}}]`,
        pull_id,
        request_id: null,
        revert_id: null,
      },
    ],
  )
  const { change_seq } = await kit.record(record_id)
  assert.equal(entries[0]?.change_seq, change_seq)
})

test('unchanged and stale writes add no entry', async (kit) => {
  const school = await kit.register()
  const occurred_at = '2026-03-10T07:00:00.000000000Z'
  const { record_id } = await school.post({ occurred_at })
  const read = await school.startRead()
  const older = { occurred_at: '2026-03-10T06:00:00.000000000Z', data: '{"a":1}' }
  await kit.write(
    pushWrite(school, { occurred_at }),
    pushWrite(school, older),
    pullWrite(read, { data: '{"a":2}' }),
  )
  assert.deepEqual(await kit.history(record_id), [])
})

test('pages start at the newest entry and list each entry once', async (kit) => {
  const school = await kit.register()
  const pushes = Array.from({ length: 12 }, (_, index) =>
    pushWrite(school, { data: `{"a":${index}}` }),
  )
  await kit.write(...pushes)
  const { record_id } = await school.post({ data: '{"a":12}' })
  await school.post({ reference: 'other' })
  const whole = await kit.history(record_id)
  assert.equal(whole.length, 12)
  const bytes = Buffer.byteLength(whole[0]?.changes ?? '')
  for (const [maxBytes, size] of [
    [100_000, 5],
    [3 * bytes, 3],
    [0, 1],
  ] as const) {
    const paged: HistoryRow[] = []
    for (let more = true; more; ) {
      const query = {
        record_id,
        limit: 5,
        maxBytes,
        before: paged.at(-1)?.change_seq ?? null,
      }
      const { entries, has_more } = await kit.storage.records.listHistory(query)
      assert.ok(entries.length <= size && (entries.length === size || !has_more))
      paged.push(...entries)
      more = has_more
    }
    assert.deepEqual(paged, whole)
  }
  const numbers = whole.map((entry) => entry.change_seq)
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => other - one),
  )
})

test('an unknown record has no history', async (kit) => {
  assert.deepEqual(await kit.history(999), [])
})
