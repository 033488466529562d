/** Plans and applies reverts on a storage, as the hub does. */
import type { Revert, RevertScope } from '@recordhub/protocol'
import { planRevert } from '../../../src/features/reverts/plan-revert.ts'
import { runNextRevert } from '../../../src/features/reverts/run-revert.ts'
import type { RevertWrite } from '../../../src/storage/port/record-store.ts'
import type { TestClock } from './engine.ts'
import { changeLog, MAX_RECORD_KEYS, type StorageContext } from './fixtures.ts'

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
