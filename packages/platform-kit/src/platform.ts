/** What a platform is to the hub: told once, served by the handler. */

export type PlatformField = {
  /** The key in a record's `data`. */
  key: string
  /** The heading of its column in the hub; the key where it is left out. */
  label?: string
  /** `string` where it is left out; `number`, `date` and the like let the hub sort by size. */
  type?: string
  required?: boolean
}

export type PlatformRecord = {
  /** The platform's own reference of the record: never changed, never used again. */
  reference_number: string
  /** The person or thing that it is about. */
  full_name: string
  data: { readonly [key: string]: unknown }
}

export type Records = Iterable<PlatformRecord> | AsyncIterable<PlatformRecord>

/** One page of a module's records; `next` leads to the one after it, null at the end. */
export type RecordsPage = { records: Records; next: string | null }

export type RecordsRequest = {
  /** Aborted when the hub has gone away: stop reading. */
  signal: AbortSignal
}

export type PlatformModule = {
  /** How people call it: "Employees". */
  name: string
  /** How programs call it, in addresses and pushes: "employee". Never changed. */
  recordType: string
  description?: string
  fields: readonly PlatformField[]
  /** All records, one after the other; never held in memory by the kit. */
  records?: (request: RecordsRequest) => Records | Promise<Records>
  /**
   * Instead of `records`, where one answer takes too long: a page at a time. `cursor` is null at first, then
   * what `next` of the page before said.
   */
  pages?: (cursor: string | null, request: RecordsRequest) => Promise<RecordsPage> | RecordsPage
  /**
   * A text that changes whenever any record of the module does, such as the newest time of change and the
   * number of records. The hub then asks only for what has changed.
   */
  version?: () => Promise<string> | string
}

export type PlatformDefinition = {
  /** How programs call the platform; unique in a hub, never changed. */
  name: string
  /** How people call it. */
  title: string
  description?: string
  /** The key that the hub must send; several while one is replaced by another. */
  sourceKey: string | readonly string[]
  modules: readonly PlatformModule[]
  /** Records that fit what somebody looks for; left out where the platform has no search. */
  search?: (query: string, request: RecordsRequest) => Records | Promise<Records>
}

const SHORTEST_KEY = 16

/**
 * Checks a definition, so that a mistake shows at the start and not in the hub.
 * @throws Error that names what is wrong.
 */
export function definePlatform(definition: PlatformDefinition): PlatformDefinition {
  const { name, title, modules } = definition
  if (!name.trim()) throw new Error('The platform needs a name.')
  if (!title.trim()) throw new Error(`The platform ${name} needs a title.`)
  for (const key of [definition.sourceKey].flat()) {
    if (key.length < SHORTEST_KEY) {
      throw new Error(`The source key of ${name} is shorter than ${SHORTEST_KEY} characters.`)
    }
  }
  const seen = new Set<string>()
  for (const module of modules) {
    checkModule(module)
    if (seen.has(module.recordType)) {
      throw new Error(`Two modules of ${name} have the record type "${module.recordType}".`)
    }
    seen.add(module.recordType)
  }
  return definition
}

function checkModule({ name, recordType, fields, records, pages }: PlatformModule): void {
  if (!name.trim()) throw new Error(`The module "${recordType}" needs a name.`)
  if (!recordType.trim() || recordType === '.' || recordType === '..') {
    throw new Error(`The module ${name} needs a record type.`)
  }
  const keys = fields.map(({ key }) => key)
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw new Error(`The module ${name} names the field "${twice}" twice.`)
  if ((records === undefined) === (pages === undefined)) {
    throw new Error(`The module ${name} needs either records or pages.`)
  }
}
