/** The state of a search, built from the lines of the streamed response. */
import type { SearchLine } from '@recordhub/protocol'
import { formatCount } from '../../lib/format.ts'
import { TEXTS } from './texts.ts'

export type HubLine = Extract<SearchLine, { kind: 'hub' }>
export type PlatformLine = Extract<SearchLine, { kind: 'platform' }>
export type Lane = {
  platform_name: string
  display_title: string
  /** Null while the platform is searching. */
  line: PlatformLine | null
}

export type SearchState = {
  /** Null until the result of the hub has arrived. */
  hub: HubLine | null
  lanes: readonly Lane[]
  /** `interrupted`: the response ended without its last line. */
  progress: 'searching' | 'done' | 'interrupted'
}

export const INITIAL: SearchState = { hub: null, lanes: [], progress: 'searching' }

export function addLine(state: SearchState, line: SearchLine): SearchState {
  switch (line.kind) {
    case 'started':
      return { ...state, lanes: line.platforms.map((one) => ({ ...one, line: null })) }
    case 'hub':
      return { ...state, hub: line }
    case 'platform': {
      const isOf = (lane: Lane) => lane.platform_name === line.platform_name
      return { ...state, lanes: state.lanes.map((lane) => (isOf(lane) ? { ...lane, line } : lane)) }
    }
    case 'end':
      return { ...state, progress: 'done' }
  }
}

/** Called at the end of the response. Without its last line, it was interrupted. */
export function endResponse(state: SearchState): SearchState {
  return state.progress === 'searching' ? { ...state, progress: 'interrupted' } : state
}

/** Platforms with results first, then those still searching, then those without results. */
export function sortLanes(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted((one, other) => rankOf(one) - rankOf(other))
}

function rankOf({ line }: Lane): number {
  if (line === null) return 1
  if (line.outcome === 'raw' || line.found > 0) return 0
  return { failed: 2, found: 3, no_endpoint: 4 }[line.outcome]
}

/** `2 of 5 platforms have responded, 3 found.` */
export function progressLabel({ hub, lanes, progress }: SearchState): string {
  const responded = lanes.filter(({ line }) => line !== null)
  const found = responded.reduce((sum, { line }) => sum + (line?.found ?? 0), 0)
  const platforms = TEXTS.responded(
    responded.length,
    formatCount(lanes.length, 'platform has', 'platforms have'),
  )
  if (progress === 'interrupted') return TEXTS.searchInterrupted(platforms)
  if (hub === null) return TEXTS.searchStarted
  if (lanes.length === 0) return TEXTS.noActivePlatforms
  const state = progress === 'done' ? '' : TEXTS.searchProgress
  const unknown = responded.filter(({ line }) => line?.outcome === 'raw').length
  const unread = TEXTS.inUnknownFormat(formatCount(unknown, 'response'))
  return `${state}${platforms}, ${TEXTS.found(found)}${unknown === 0 ? '' : `, ${unread}`}.`
}
