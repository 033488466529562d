/** Whether searches find what the hub has. */

import type { DiagnosticsStore } from '../../../storage/port/diagnostics-store.ts'
import { LAG_LIMIT } from '../../../storage/port/search-index-store.ts'
import { type Finding, info, problem, warning } from './finding.ts'

const SAMPLE_SIZE = 100
/** A running hub indexes a change within seconds. */
const MAX_DELAY_MS = 15 * 60_000
const REBUILD = 'Build the search index again: recordhub search rebuild, or --fix.'

export async function checkSearch(database: DiagnosticsStore): Promise<Finding[]> {
  const { state, position, last_change, lag, behind_since } = await database.readSearchIndex()
  if (state !== 'current') {
    if (last_change === 0) return []
    const reason = state === 'missing' ? 'does not exist' : 'belongs to another version or database'
    return [
      warning(
        `The search index ${reason}.`,
        'A running hub creates it. Until then, searches are slow.',
      ),
    ]
  }
  if (position > last_change) {
    const message = `The search index has change ${position}, but the last change is ${last_change}: it belongs to a later state of the database.`
    return [problem(message, REBUILD, 'search')]
  }
  const { sampled, missing } = await database.sampleSearchIndex(SAMPLE_SIZE)
  if (missing.length > 0) {
    const message = `A search would not find ${missing.length} of ${sampled} records: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}.`
    return [problem(message, REBUILD, 'search')]
  }
  const behind = `${lag}${lag === LAG_LIMIT ? ' or more' : ''} changed records are not indexed`
  const now = Date.parse((await database.readServer()).now)
  const isLate = behind_since !== null && now - Date.parse(behind_since) > MAX_DELAY_MS
  if (isLate && (await database.isHubRunning())) {
    const message = `${behind} since ${behind_since}, although a hub is running.`
    return [problem(message, 'Look for errors in the log of the hub, and restart it.')]
  }
  return [info(`${sampled} sampled records are found${lag > 0 ? `; ${behind} yet` : ''}`)]
}
