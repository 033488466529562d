/** What holds for any pulls, pushes and reverts: on SQLite, and in the deep tier with more runs also on PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RevertScope } from '@recordhub/protocol'
import { fc } from '../../helpers/random/fast-check.ts'
import { onEachEngineWhenDeep } from '../../helpers/storage/engines.ts'
import { type KitPlatform, type TestKit, withStorage } from '../../helpers/storage/kit.ts'
import { contents, pullList, revert, type Shown } from '../../helpers/storage/reverts.ts'
import { rounds } from '../../helpers/time/tier.ts'

const RUNS = rounds(8, 200)
const REFERENCES = ['one', 'two', 'three']

const data = fc
  .dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, 2, 3))
  .map((values) => JSON.stringify(values))
/** A list of a platform; a record that it lacks is missing. */
const list = fc.dictionary(fc.constantFrom(...REFERENCES), data)

type List = Record<string, string>

/** Runs a property with a platform of its own for each run. */
async function check<Values>(
  kit: TestKit,
  values: fc.Arbitrary<Values>,
  body: (platform: KitPlatform, values: Values) => Promise<void>,
): Promise<void> {
  let platforms = 0
  const property = fc.asyncProperty(values, async (generated) => {
    platforms += 1
    await body(await kit.register({ name: `p-${platforms}` }), generated)
  })
  await fc.assert(property, { numRuns: RUNS })
}

/** Pulls a list, and marks what it lacks as missing. @returns the pull, and the records after it. */
async function pull(kit: TestKit, platform: KitPlatform, records: List) {
  kit.clock.advance(1)
  const absent = REFERENCES.filter((reference) => !(reference in records))
  const { pull_id } = await pullList(kit, platform, records, absent)
  return { pull_id, after: await contents(kit, platform.platform_name) }
}

/** As `contents`, without the order of keys and without the values of missing records, which a creation leaves. */
function visible(records: Record<string, Shown>): unknown {
  const present = Object.entries(records).filter(([, { isMissing }]) => !isMissing)
  return Object.fromEntries(present.map(([reference, one]) => [reference, JSON.parse(one.data)]))
}

onEachEngineWhenDeep((engine) => {
  test(
    `two pulls that are reverted in either order leave the state before the first, on ${engine.name}`,
    withStorage(engine, (kit) =>
      check(
        kit,
        fc.record({ base: list, first: list, second: list, isForward: fc.boolean() }),
        async (platform, { base, first, second, isForward }) => {
          const { after: before } = await pull(kit, platform, base)
          const one = await pull(kit, platform, first)
          const two = await pull(kit, platform, second)
          const order = isForward ? [one, two] : [two, one]
          let kept = 0
          for (const { pull_id } of order) kept += (await revert(kit, { pull_id })).counts.kept
          if (!isForward) assert.equal(kept, 0)
          // The first one has kept what the second one had changed again.
          if (kept > 0) await revert(kit, { pull_id: one.pull_id })
          assert.deepEqual(visible(await contents(kit, platform.platform_name)), visible(before))
        },
      ),
    ),
  )

  const push = fc.record({
    reference: fc.constantFrom(...REFERENCES),
    source: fc.constantFrom('POST' as const, 'PATCH' as const),
    data,
  })
  test(
    `a revert of anything, and then of the revert, leaves the equal state without holds, on ${engine.name}`,
    withStorage(engine, (kit) =>
      check(
        kit,
        fc.record({
          base: list,
          bad: list,
          pushes: fc.array(push, { minLength: 1, maxLength: 4 }),
          what: fc.constantFrom('pull', 'module', 'pushes', 'record'),
        }),
        async (platform, { base, bad, pushes, what }) => {
          const { platform_name } = platform
          await pull(kit, platform, base)
          const { pull_id } = await pull(kit, platform, bad)
          kit.clock.advance(1)
          const from = kit.clock.text
          for (const { source, ...content } of pushes) {
            await (source === 'POST' ? platform.post(content) : platform.patch(content))
          }
          kit.clock.advance(1)
          const scopes: Record<string, RevertScope> = {
            pull: { pull_id },
            module: { pull_id, platform: platform_name, record_type: 'students' },
            pushes: { platform: platform_name, from, to: kit.clock.text },
            record: await versionOf(kit, platform_name),
          }
          const scope = scopes[what] ?? { pull_id }
          const before = await contents(kit, platform_name)
          const done = await revert(kit, scope)
          const undone = await revert(kit, { revert_id: done.id })
          assert.deepEqual([undone.state, undone.counts.kept], ['succeeded', 0])
          assert.deepEqual(parsed(await contents(kit, platform_name)), parsed(before))
          const { records } = await kit.storage.holds.summarizeHolds({
            ...{ platform: platform_name, record_type: null, record_id: null, revert_id: null },
          })
          assert.equal(records, 0)
        },
      ),
    ),
  )
})

/** The oldest version of the first record. */
async function versionOf(kit: TestKit, platform: string): Promise<RevertScope> {
  const [record] = await kit.records({ platform })
  assert.ok(record)
  const history = await kit.history(record.record_id)
  const version = history.at(-1)?.change_seq ?? record.change_seq
  return { record_id: record.record_id, version }
}

function parsed(records: Record<string, Shown>): unknown {
  return Object.entries(records).map(([reference, { data, isMissing }]) => [
    ...[reference, JSON.parse(data), isMissing],
  ])
}
