import { MUSEUM_FIELDS, museumPush, museumRecord } from './museum-record.ts'
import { SMALL_FIELDS, smallPush, smallRecord } from './small-record.ts'

/** The two sorts of records that the benchmarks use: flat ones of 350 bytes, and nested ones of 2 KB. */
export const RECORD_DATA = {
  small: { fields: SMALL_FIELDS, record: smallRecord, pushes: [smallPush('item-1')] },
  museum: {
    fields: MUSEUM_FIELDS,
    record: museumRecord,
    pushes: Array.from({ length: 64 }, (_, variant) => museumPush('item-1', variant)),
  },
}

export type DataName = keyof typeof RECORD_DATA
export const DATA_NAMES: readonly DataName[] = ['small', 'museum']
export const isDataName = (name: string): name is DataName => name in RECORD_DATA
