/** Plans and applies reverts on a storage, as the hub does, and pulls lists that are reverted. */
import type { Revert, RevertScope } from '@recordhub/protocol'
import { planRevert } from '../../../src/features/reverts/plan-revert.ts'
import { runNextRevert } from '../../../src/features/reverts/run-revert.ts'
import type { RevertWrite } from '../../../src/storage/port/record-store.ts'
import type { TestClock } from './engine.ts'
import { changeLog, MAX_RECORD_KEYS, type StorageContext } from './fixtures.ts'
import type { KitPlatform, StorageKit } from './kit.ts'
import { pullWrite, type ReadOverrides } from './pulls.ts'

export function revertDeps({
  storage,
  clock,
}: Pick<StorageContext, 'storage'> & { clock: TestClock }) {
  return {
    ...storage,
    clock,
    monotonicClock: performance,
    ingest: {
      revert: (writes: RevertWrite[]) => {
        const at = clock.now().toISOString()
        const batch = { at, day: at.slice(0, 10), maxRecordKeys: MAX_RECORD_KEYS, writes }
        return storage.records.applyWrites(batch)
      },
    },
  }
}

export function planTest(context: StorageContext, scope: RevertScope): Promise<Revert> {
  return planRevert(revertDeps(context), { scope, reason: 'bad data' }, 'ann@example.com')
}

/** Plans a revert, applies it, and returns the result. */
export async function revert(context: StorageContext, scope: RevertScope): Promise<Revert> {
  const { id } = await planTest(context, scope)
  await startTest(context, id)
  return readRevert(context, id)
}

export async function startTest(context: StorageContext, id: number): Promise<void> {
  const { storage } = context
  await storage.reverts.startRevert(id, 'ann@example.com', changeLog('revert.started'))
  await runNextRevert(revertDeps(context), new AbortController().signal)
}

export async function readRevert({ storage }: StorageContext, id: number): Promise<Revert> {
  const found = await storage.reverts.readRevert(id)
  if (!found) throw new Error(`There is no revert ${id}`)
  return found
}

export const KEYS = { manifest_keys: ['a', 'b'] }

/** Pulls a whole list: the data of each record by its reference. Records that it lacks are marked as missing. */
export async function pullList(
  kit: StorageKit,
  platform: KitPlatform,
  list: Record<string, string>,
  missing: string[] = [],
  overrides: ReadOverrides = KEYS,
): Promise<{ pull_id: number; outcomes: string[] }> {
  let pull_id = 0
  let outcomes: string[] = []
  await platform.pull(async (read) => {
    pull_id = read.read.pull_id
    outcomes = await kit.outcomesOf(
      ...Object.entries(list).map(([reference, data]) => pullWrite(read, { reference, data })),
    )
    if (missing.length > 0) await kit.markMissing(read, missing, 0)
  }, overrides)
  return { pull_id, outcomes }
}

export type Shown = { data: string; isMissing: boolean }

/** The records of a platform, or of all, by their references. */
export async function contents(
  kit: StorageKit,
  platform: string | null = null,
): Promise<Record<string, Shown>> {
  const rows = await kit.records({ platform })
  return Object.fromEntries(
    rows.map((row) => [row.reference_number, shown(row.data, row.missing_since !== null)]),
  )
}

export function shown(data: string, isMissing = false): Shown {
  return { data, isMissing }
}
