/** What operators do with reverts and holds in a simulation. */
import type { RevertScope } from '@recordhub/protocol'
import { planRevert } from '../../src/features/reverts/plan-revert.ts'
import { changeLog } from '../helpers/storage/fixtures.ts'
import type { DatabaseView, Row } from './database-view.ts'
import type { RunningHub } from './hub.ts'
import type { Choices } from './scheduler.ts'

const ACTOR = 'simulation'

type RevertChoices = { choices: Choices; view: DatabaseView; trace: (label: string) => void }

type Work = (hub: RunningHub) => Promise<void>

/** Plans and starts a revert, cancels one, or lifts holds. Returns null if there is nothing to act on. */
export function chooseRevert(deps: RevertChoices): Work | null {
  const { choices, trace } = deps
  const what = choices.between(0, 1)
  if (what < 0.1) return cancel(deps)
  if (what < 0.2) return lift(deps)
  const scope = chooseScope(deps)
  if (!scope) return null
  return async ({ storage, deps: hub, wakeReverts }) => {
    const resolved = scope()
    trace(`an operator reverts ${JSON.stringify(resolved)}`)
    const request = { scope: resolved, reason: 'bad data' }
    const { id } = await planRevert({ ...storage, ...hub }, request, ACTOR)
    const started = await storage.reverts.startRevert(id, ACTOR, changeLog('revert.started'))
    trace(`the revert ${id} is ${started}`)
    wakeReverts()
  }
}

function cancel({ choices, view, trace }: RevertChoices): Work | null {
  const row = pick({ choices, view }, "SELECT revert_id FROM reverts WHERE state = 'running'")
  if (!row) return null
  const id = Number(row['revert_id'])
  return async ({ storage }) => {
    trace(`an operator cancels the revert ${id}`)
    await storage.reverts.cancelRevert(id, changeLog('revert.cancelled'))
  }
}

function lift({ choices, view, trace }: RevertChoices): Work | null {
  const row = pick({ choices, view }, 'SELECT DISTINCT record_id, revert_id FROM holds')
  if (!row) return null
  const record_id = Number(row['record_id'])
  const scope = choices.chance(0.5) ? { record_id } : { revert_id: Number(row['revert_id']) }
  return async ({ storage }) => {
    trace(`an operator lifts the holds of ${JSON.stringify(scope)}`)
    await storage.holds.liftHolds(scope, changeLog('holds.lifted'))
  }
}

/** Returns a function that returns the scope at the time of the hub. */
function chooseScope({ choices, view }: RevertChoices): (() => RevertScope) | null {
  const what = choices.between(0, 1)
  if (what < 0.6) {
    // Pulls that mark records as missing are rare.
    const marked = what < 0.3 ? 'AND t.missing > 0' : ''
    const row = pick(
      { choices, view },
      `SELECT t.pull_id, p.platform_name, m.record_type FROM pull_tasks t
       JOIN pulls USING (pull_id) JOIN modules m ON m.module_id = t.module_id
       JOIN platforms p ON p.platform_id = m.platform_id
       WHERE pulls.finished_at IS NOT NULL AND t.state <> 'queued' ${marked}`,
    )
    if (!row) return null
    const pull_id = Number(row['pull_id'])
    const platform = String(row['platform_name'])
    const names = choices.pick([
      {},
      { platform },
      { platform, record_type: String(row['record_type']) },
    ])
    return () => ({ pull_id, ...names })
  }
  if (what < 0.8) {
    const row = pick(
      { choices, view },
      'SELECT platform_name FROM platforms WHERE removed_at IS NULL',
    )
    if (!row) return null
    const platform = String(row['platform_name'])
    const age = choices.between(100, 6000)
    const end = choices.pick([0, 0, age / 2])
    return () => {
      const [from, to] = [age, end].map((ms) => new Date(Date.now() - ms).toISOString())
      return { platform, from: from ?? '', to: to ?? '' }
    }
  }
  if (what < 0.9) {
    const row = pick({ choices, view }, 'SELECT change_seq, record_id FROM record_history')
    if (!row) return null
    return () => ({ record_id: Number(row['record_id']), version: Number(row['change_seq']) })
  }
  const row = pick({ choices, view }, "SELECT revert_id FROM reverts WHERE state = 'succeeded'")
  return row && (() => ({ revert_id: Number(row['revert_id']) }))
}

function pick({ choices, view }: Pick<RevertChoices, 'choices' | 'view'>, sql: string): Row | null {
  const rows = view
    .query(sql)
    .toSorted((one, other) => compare(JSON.stringify(one), JSON.stringify(other)))
  return rows.length === 0 ? null : choices.pick(rows)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
