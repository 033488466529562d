/** The filter recognises unchanged elements of a pull without parsing them. It must not change the result of the pull. */
import assert from 'node:assert/strict'
import { manifestHash } from '../../../src/domain/pull/unchanged.ts'
import { checkPulled } from '../../../src/domain/record/record-input.ts'
import { UnchangedFilter } from '../../../src/features/pulls/unchanged-filter.ts'
import { PositionRuns } from '../../../src/lib/collections/position-runs.ts'
import { JsonArrayScanner } from '../../../src/lib/json/json-array-scanner.ts'
import type { RecordElement } from '../../../src/platform-client/records/records-chunk.ts'
import type { PullWrite, RecordStore } from '../../../src/storage/port/record-store.ts'
import { fc } from '../../helpers/random/fast-check.ts'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite, type TestPlatform } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, StorageKit } from '../../helpers/storage/kit.ts'
import { pullWrite, type TestRead } from '../../helpers/storage/pulls.ts'
import { rounds } from '../../helpers/time/tier.ts'

type UnchangedFinder = Pick<RecordStore, 'findUnchanged'>

const FINDS_NONE: UnchangedFinder = {
  findUnchanged: async (_read, elements) => elements.map(() => null),
}

/** Reads a document in small chunks, as a pull does: the next batch is filtered before the previous one is stored. Returns the outcomes of its records. */
async function readDocument(
  kit: StorageKit,
  platform: KitPlatform,
  elements: string[],
  finder: UnchangedFinder,
): Promise<string[]> {
  const outcomes: string[] = []
  await platform.pull(async ({ read }) => {
    const limits = { maxElementBytes: 10_000, maxEnvelopeBytes: 1000, chunkBytes: 100 }
    const scanner = new JsonArrayScanner({ member: 'records', ...limits })
    const chunks = scanner.push(Buffer.from(`{"records":[${elements.join(' ,\n')}]}`))
    const filter = new UnchangedFilter(finder, read, new PositionRuns())
    const filtered: ReturnType<UnchangedFilter['filter']>[] = []
    for (let at = 0; at < chunks.length; at += 2) {
      const found = await (filtered.shift() ?? filter.filter(chunks.slice(at, at + 2)))
      if (at + 2 < chunks.length) filtered.push(filter.filter(chunks.slice(at + 2, at + 4)))
      const isConfirmed = filter.confirmUnchanged(found, 0)
      const {
        unchanged,
        elements: changed,
        error,
      } = isConfirmed ? found : await filter.readAll(found)
      outcomes.push(...Array.from({ length: unchanged.size }, () => 'unchanged'))
      const writes = changed.flatMap(({ element, fingerprint }): PullWrite[] => {
        const record = readRecord(element)
        if (!record) return []
        const { reference_number, full_name, data, version } = record
        const content = { source: 'pull' as const, full_name, data, fingerprint, version }
        return [{ reference_number, read, content }]
      })
      if (writes.length > 0) outcomes.push(...(await kit.outcomesOf(...writes)))
      if (error !== null) outcomes.push('broken')
      if (error !== null) break
    }
    await Promise.all(filtered)
  })
  return outcomes.sort()
}

/** Reads the record of an element, as a pull does; null if it is invalid. */
function readRecord(element: RecordElement) {
  if (element.record) return element.record
  const checked = checkPulled(element.value)
  return checked.outcome === 'valid' ? checked.input : null
}

const reference = fc.constantFrom('"r-1"', '"r-2"', '"r\\u002d1"', '"王"', '"r-3\\n"', '7')
const data = fc.constantFrom(
  '{}',
  '{"a":1}',
  '{"a":1.0}',
  '{"reference_number":"r-2"}',
  '{"s":"\\"reference_number\\":\\"r-1\\""}',
)
const member = fc.tuple(reference, data).map(([ref, text]) => ({
  reference: `"reference_number" : ${ref}`,
  compact: `{"reference_number":${ref},"full_name":"Ann","data":${text}}`,
  escaped: `"reference\\u005fnumber":${ref}`,
  name: '"full_name":"Ann"',
  data: `"data":${text}`,
}))
const element = fc.oneof(
  { weight: 6, arbitrary: member.map((one) => `{${one.reference},${one.name},${one.data}}`) },
  { weight: 6, arbitrary: member.map((one) => one.compact) },
  { weight: 3, arbitrary: member.map((one) => `{${one.data},${one.name},${one.reference}}`) },
  { weight: 1, arbitrary: member.map((one) => `{${one.data},${one.name},${one.escaped}}`) },
  { weight: 1, arbitrary: fc.constantFrom('{"reference_number"}', '"reference_number"', '{a}') },
)
const documents = fc.array(fc.array(element, { maxLength: 7 }), { minLength: 1, maxLength: 4 })

const OTHERS = [2, 3, 4, 5, 6, 7, 8].map((number) => simple('{}', `r-${number}`))

/** A stored element follows a newer one, of the same batch or the previous one, malformed JSON or itself. */
const EXAMPLES: [string[][], boolean][] = [
  [[[simple('{"a":1}')], [simple('{"a":2}'), simple('{"a":1}')]], false],
  [[[simple('{"a":1}')], [simple('{"a":2}'), ...OTHERS, simple('{"a":1}')]], false],
  [[[simple('{}')], ['{a}', simple('{}')]], false],
  [[[simple('{}')], [simple('{}'), simple('{}')]], false],
]

function simple(text: string, reference = 'r-1'): string {
  return `{"reference_number":"${reference}","full_name":"Ann","data":${text}}`
}

test('the result is the same with the filter as when every element is parsed', async (kit) => {
  let run = 0
  const property = fc.asyncProperty(documents, fc.boolean(), async (texts, pushes) => {
    run += 1
    const [filtered, parsed] = await Promise.all(
      ['filtered', 'parsed'].map((name) => kit.register({ name: `${name}-${run}` })),
    )
    assert.ok(filtered && parsed)
    // The last document is repeated so that there are unchanged elements.
    for (const text of [...texts, texts.at(-1) ?? []]) {
      if (pushes) {
        for (const one of [filtered, parsed]) await kit.write(pushWrite(one, { data: '{"b":1}' }))
      }
      const outcomes = await readDocument(kit, filtered, text, kit.storage.records)
      assert.deepEqual(outcomes, await readDocument(kit, parsed, text, FINDS_NONE))
    }
    const [withFilter, withoutFilter] = await Promise.all([
      listStored(kit, filtered.platform_name),
      listStored(kit, parsed.platform_name),
    ])
    assert.deepEqual(withFilter, withoutFilter)
  })
  await fc.assert(property, { numRuns: rounds(4, 60), examples: EXAMPLES })
})

test('only elements with the bytes of a stored record are recognised, in the order of the input', async (kit) => {
  const school = await kit.register()
  const other = await kit.register({ name: 'other' })
  const ids: number[] = []
  await school.pull(async (read) => {
    for (const one of ['r-1', 'r-2', '😀"\\']) {
      ids.push((await kit.writeOne(pullWrite(read, { reference: one }))).record_id)
    }
  })
  const started = await school.startRead()
  const { records } = kit.storage
  const elements = ['r-2', 'r-9', '😀"\\', 'r-1', 'r-2'].map((one) => elementOf(started, one))
  const changed = { ...elementOf(started, 'r-1'), fingerprint: 'another' }
  assert.deepEqual(await records.findUnchanged(started.read, [...elements, changed]), [
    ...[ids[1], null, ids[2], ids[0], ids[1]],
    null,
  ])
  assert.equal(started.read.seen.size, 0)
  assert.deepEqual(await records.findUnchanged(started.read, []), [])
  const otherPlatform = { ...started.read, platform_id: other.platform_id }
  assert.deepEqual(
    await records.findUnchanged(otherPlatform, elements),
    elements.map(() => null),
  )
})

const events: [string, (kit: StorageKit, started: TestRead, school: TestPlatform) => unknown][] = [
  ['was pushed', (kit, _, school) => kit.write(pushWrite(school, { data: '{}' }))],
  ['is missing', (kit, started) => kit.markMissing(started, ['r-1'])],
  ['belongs to an inactive platform', (kit, _, school) => kit.setStatus(school, 'inactive')],
  ['belongs to a finished pull', (kit, started) => kit.finishPull(started.read.pull_id)],
  [
    'is pulled with a changed manifest',
    (_, started) => Object.assign(started.read, { manifest_hash: manifestHash(['c']) }),
  ],
]
for (const [event, happen] of events) {
  test(`a record that ${event} is not recognised`, async (kit) => {
    const school = await kit.register()
    await school.pull(async (read) => {
      await kit.writeOne(pullWrite(read))
    })
    const started = await school.startRead()
    const recognise = () =>
      kit.storage.records.findUnchanged(started.read, [elementOf(started, 'r-1')])
    assert.notDeepEqual(await recognise(), [null])
    await happen(kit, started, school)
    assert.deepEqual(await recognise(), [null])
  })
}

function elementOf(started: TestRead, reference: string) {
  const { reference_number, content } = pullWrite(started, { reference })
  return { reference_number, fingerprint: content.fingerprint }
}

/** The records of a platform and their changes, without sequence numbers and times. */
async function listStored(kit: StorageKit, platform: string) {
  const records = await kit.records({ platform })
  return Promise.all(
    records.map(async ({ record_id, reference_number, full_name, data, missing_since }) => {
      const history = await kit.history(record_id)
      return [reference_number, full_name, data, missing_since, history.map((one) => one.changes)]
    }),
  )
}
