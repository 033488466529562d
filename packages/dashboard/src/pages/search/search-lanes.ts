/** What a search has brought so far, put together from the lines of its answer. */
import type { SearchLine } from '@recordhub/protocol'

export type HubLine = Extract<SearchLine, { kind: 'hub' }>
export type PlatformLine = Extract<SearchLine, { kind: 'platform' }>
export type Lane = {
  platform_name: string
  display_title: string
  /** Null while the platform is searching. */
  line: PlatformLine | null
}

export type SearchState = {
  /** Null until the hub has answered for itself. */
  hub: HubLine | null
  lanes: readonly Lane[]
  /** `broken`: the answer ended before its end. */
  progress: 'searching' | 'done' | 'broken'
}

export const BEGUN: SearchState = { hub: null, lanes: [], progress: 'searching' }

export function addLine(state: SearchState, line: SearchLine): SearchState {
  switch (line.kind) {
    case 'asked':
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

/** An answer that is over without its last line was cut off. */
export function endAnswer(state: SearchState): SearchState {
  return state.progress === 'searching' ? { ...state, progress: 'broken' } : state
}

/** What a platform has to show first, then who is still searching, then who found nothing. */
export function sortLanes(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted((one, other) => rankOf(one) - rankOf(other))
}

function rankOf({ line }: Lane): number {
  if (line === null) return 1
  if (line.outcome === 'raw' || line.found > 0) return 0
  return { failed: 2, found: 3, no_endpoint: 4 }[line.outcome]
}

/** `2 of 5 platforms have answered` */
export function wordsOfProgress({ hub, lanes, progress }: SearchState): string {
  const answered = lanes.filter(({ line }) => line !== null)
  const found = answered.reduce((sum, { line }) => sum + (line?.found ?? 0), 0)
  const platforms = `${answered.length} of ${lanes.length} ${lanes.length === 1 ? 'platform has' : 'platforms have'} answered`
  if (progress === 'broken') return `The connection broke off: ${platforms}.`
  if (hub === null) return 'Searching…'
  if (lanes.length === 0) return 'No active platform to ask.'
  const state = progress === 'done' ? '' : 'Searching: '
  const unknown = answered.filter(({ line }) => line?.outcome === 'raw').length
  const unread = `${unknown} ${unknown === 1 ? 'response' : 'responses'} in an unknown format`
  return `${state}${platforms}, with ${found} found${unknown === 0 ? '' : ` and ${unread}`}.`
}
