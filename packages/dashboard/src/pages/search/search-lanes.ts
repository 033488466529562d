/** The state of a search, built from the lines of the streamed response. */
import type { FoundRecord, SearchedRecord, SearchLine, StoredRecord } from '@recordhub/protocol'
import { isPlainObject, textOfValue } from '../../lib/lossless-json.ts'

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
  /** `interrupted`: the response ended without its last line. `stopped`: by the operator. */
  progress: 'searching' | 'done' | 'interrupted' | 'stopped'
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

/** `2 of 5 responded` */
export function progressLabel({ hub, lanes, progress }: SearchState): string {
  if (hub === null && lanes.length === 0) return progress === 'searching' ? 'searching…' : ''
  if (lanes.length === 0) return 'no active platforms'
  const responded = lanes.filter(({ line }) => line !== null).length
  return `${responded} of ${lanes.length} responded`
}

/** The modules of the found records, with counts if all records were found. */
export function modulesOf(
  hub: HubLine | null,
): { record_type: string; label: string; count: number | null }[] {
  const records = hub?.records ?? []
  const isAll = hub?.complete && hub.estimated_total === records.length
  return [...Map.groupBy(records, ({ record_type }) => record_type)].map(
    ([record_type, found]) => ({
      record_type,
      label: found[0]?.module_name ?? record_type,
      count: isAll ? found.length : null,
    }),
  )
}

/** The text of a column with what matched in it. */
export function matchOf(
  { matches }: SearchedRecord,
  column: string,
  text: string,
): { text: string; ranges: readonly (readonly [number, number])[] } {
  const match = matches.find((one) => one.column === column)
  // A part of a long name stands for the whole.
  return match ?? { text, ranges: [] }
}

/** Whether the hub has a record of a platform as the platform sent it. Only the sent members are compared. */
export function compareRecord(
  { reference_number, record_type, full_name, data }: FoundRecord,
  stored: readonly StoredRecord[],
): { outcome: 'same' | 'differs' | 'absent' | 'unknown'; record_id: number } {
  if (reference_number === null) return { outcome: 'unknown', record_id: 0 }
  const own = stored.find(
    (one) =>
      one.reference_number === reference_number &&
      (record_type === null || one.record_type === record_type),
  )
  if (!own) return { outcome: 'absent', record_id: 0 }
  const { record_id } = own
  const hasName = full_name === null || full_name === own.full_name
  const members = isPlainObject(data) ? Object.entries(data) : []
  if (members.length === 0 && full_name === null) return { outcome: 'unknown', record_id }
  const isSame = members.every(([key, value]) => isEqual(value ?? null, own.data[key] ?? null))
  return { outcome: hasName && isSame ? 'same' : 'differs', record_id }
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
  }
  if (isPlainObject(one) && isPlainObject(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...keys].every((key) => isEqual(one[key], other[key]))
  }
  return typeof one === typeof other && textOfValue(one) === textOfValue(other)
}
