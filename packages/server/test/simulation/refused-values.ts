/**
 * What a revert refuses does not return while its platform sends nothing else. This invariant does not use the rules of
 * holds: it compares the refused values with what arrived later.
 */
import type { Data, ModelRecord } from './model.ts'
import type { ModelModule } from './registry.ts'
import {
  type Content,
  MISSING,
  type ModelHold,
  NAME,
  type Value,
  valuesOf,
} from './revert-model.ts'
import { check } from './violation.ts'

/** What arrives of a record. A path that it leaves out says nothing, unless it is one of `removes`. */
export type Arrival = {
  name: string | null
  data: Data
  /** Whether it removes a path that it leaves out. */
  removes: (key: string) => boolean
}

/** The refused values of a record by one revert; that it is not missing is one of them if its creation was taken back. */
type Refused = {
  revert_id: number
  values: ReadonlyMap<string, Value | undefined>
  returns: boolean
}

export class RefusedValues {
  readonly #refused = new Map<ModelModule, Map<string, readonly Refused[]>>()

  /** A revert has made holds of a record. Earlier ones may refuse what it restores, so they are no longer followed. */
  refuse(module: ModelModule, reference: string, holds: readonly ModelHold[]): void {
    this.#set(module, reference, holds.flatMap(toRefused))
  }

  /** Ends what a revert refuses. */
  allowRevert(revertId: number): void {
    for (const [module, records] of this.#refused) {
      for (const [reference, refused] of records) {
        const left = refused.filter(({ revert_id }) => revert_id !== revertId)
        this.#set(module, reference, left)
      }
    }
  }

  /** Ends all that is refused of a record. */
  allowRecord(module: ModelModule, reference: string): void {
    this.#set(module, reference, [])
  }

  /** Checks what a write makes of a record. */
  checkWrite(module: ModelModule, reference: string, arrival: Arrival, write: () => void): void {
    const before = module.records.get(reference)
    write()
    const after = module.records.get(reference)
    // It was erased in between, with its holds.
    if (!before || !after) {
      this.allowRecord(module, reference)
      return
    }
    const known = this.#refused.get(module)?.get(reference) ?? []
    const left = known.filter(({ values }) => !saysOtherwise(arrival, values))
    this.#set(module, reference, left)
    for (const refused of left) checkReturned({ module, reference }, refused, { before, after })
  }

  #set(module: ModelModule, reference: string, refused: readonly Refused[]): void {
    const records = this.#refused.get(module) ?? new Map<string, readonly Refused[]>()
    if (refused.length > 0) records.set(reference, refused)
    else records.delete(reference)
    this.#refused.set(module, records)
  }
}

function toRefused(hold: ModelHold): Refused[] {
  const { revert_id, kind } = hold
  if (kind === 'absence') return []
  if (kind === 'values') return [{ revert_id, values: hold.refused, returns: false }]
  const { name, data } = hold
  const values = new Map(valuesOf({ name, data, incomplete: false, missingSince: null }))
  return [{ revert_id, values, returns: true }]
}

/** Whether an arrival has another value at a path than the refused one. */
function saysOtherwise({ name, data, removes }: Arrival, values: Refused['values']): boolean {
  return [...values].some(([path, value]) => {
    if (path === NAME) return name !== null && name !== value
    if (!path.startsWith('/data/')) return false
    const key = path.slice('/data/'.length)
    return data.has(key) ? data.get(key) !== value : removes(key) && value !== undefined
  })
}

function checkReturned(
  { module, reference }: { module: ModelModule; reference: string },
  { revert_id, values, returns }: Refused,
  { before, after }: { before: ModelRecord; after: ModelRecord },
): void {
  const has = (record: Content, path: string, value: Value | undefined) =>
    valuesOf(record).get(path) === value
  const paths: [string, Value | undefined][] = returns ? [[MISSING, null]] : [...values]
  for (const [path, value] of paths) {
    const isBack = !has(before, path, value) && has(after, path, value)
    const name = `${module.platform.name}/${module.record_type} ${reference}`
    check(!isBack, `${path} of ${name}, which revert ${revert_id} refuses, came back`)
  }
}
