/** A simulated platform: its records change, it describes the changes as pushes, and it serves its records. */
import type { Data } from './model.ts'
import {
  type DigestRequest,
  isCareful,
  type Offer,
  offersDigests,
  type ServedDigest,
  selectBuckets,
  writeDigest,
} from './platform-digest.ts'
import type { Choices } from './scheduler.ts'
import { versionOf } from './versions.ts'

/** `edits`: how often it has changed. */
export type PlatformRecord = { name: string; data: Map<string, string | null>; edits: number }

export type PlatformModule = {
  record_type: string
  /** The keys that its manifest names, and that all of its records have. */
  keys: readonly string[]
  records: Map<string, PlatformRecord>
  /** The number of its records at the start. */
  size: number
}

export type SentPush = {
  id: string
  platform: string
  record_type: string
  method: 'POST' | 'PATCH'
  reference_number: string
  full_name: string | null
  data: Data
  /** By the clock of the platform; null if it is not sent. */
  occurredAt: number | null
  /** Why the hub must reject it; null for a valid push. */
  invalid: 'module' | 'member' | null
}

/** An element of a records response, with its end in the response. */
export type ServedElement = {
  reference: string
  name: string
  data: Data
  /** As a hub must read it; null without a valid one. */
  version: string | null
  end: number
}

/** How a platform serves a records response. */
export type ResponseFault =
  | 'refused'
  | 'reset'
  | 'busy'
  | 'failed'
  | 'late'
  | 'cut_off'
  | 'stalled'
  | 'wrong_total'
  | 'omits'
  | 'omits_quietly'
  | 'duplicates'
  | 'nameless'

export const RESPONSE_FAULTS: readonly ResponseFault[] = [
  'refused',
  'reset',
  'busy',
  'failed',
  'late',
  'cut_off',
  'cut_off',
  'stalled',
  'wrong_total',
  'omits',
  'omits_quietly',
  'omits_quietly',
  'duplicates',
  'nameless',
]

export type ServedResponse = {
  status: number
  headers: Record<string, string>
  body: Buffer
  elements: ServedElement[]
  /** The reference numbers of the elements that repeat one. */
  repeated: string[]
  /** The elements without a reference number. */
  nameless: number
  total: number | null
  /** How it ends after its bytes. */
  end: 'complete' | 'cut_off' | 'stalled'
  /** The number of bytes that are sent. */
  sentBytes: number
  /** The records that it contains by a 304 response. */
  isNotModified: boolean
  hasNext: boolean
  /** The buckets that were requested; null for a list of all records. */
  prefixes: readonly string[] | null
  /** Whether it contains no records of other buckets. */
  isSelected: boolean
  /** Null for a list of records. */
  digest: ServedDigest | null
}

/** A request for the records of a module. `digits`: null for its list. */
export type RecordsRequest = {
  record_type: string
  page: number
  ifNoneMatch: string | null
  prefixes: readonly string[] | null
  digits: number | null
}

export class SimulatedPlatform {
  readonly name: string
  readonly modules: PlatformModule[]
  /** The hub key that an operator has given to it. */
  hubKey: string
  readonly #choices: Choices
  /** When it sends the time of its changes. */
  readonly #sendsTimes: 'always' | 'never' | 'sometimes'
  readonly #supportsETags: boolean
  readonly #offer: Offer
  /** Separate, so that what it offers changes the other choices as little as possible. */
  readonly #digestChoices: Choices
  /** How often each record has changed, also if a restored backup has an older state. */
  readonly #edits = new Map<string, number>()
  /** An older state of its records: a backup, and a database that lags behind. */
  readonly #replica = new Map<PlatformModule, Map<string, PlatformRecord>>()
  #pushes = 0
  #references = 0
  #values = 0
  #responses = 0

  constructor(
    { name, hubKey }: { name: string; hubKey: string },
    modules: Pick<PlatformModule, 'record_type' | 'keys' | 'size'>[],
    choices: Choices,
    { offer, digestChoices }: { offer: Offer; digestChoices: Choices },
  ) {
    this.name = name
    this.hubKey = hubKey
    this.#choices = choices
    this.#sendsTimes = choices.pick(['always', 'never', 'sometimes'])
    this.#supportsETags = choices.chance(0.5)
    this.#digestChoices = digestChoices
    this.#offer = offer
    this.modules = modules.map((module) => ({ ...module, records: new Map() }))
    for (const module of this.modules) {
      for (let count = 0; count < module.size; count += 1) this.#create(module)
    }
    this.catchUp()
  }

  get isCareful(): boolean {
    return isCareful(this.#offer)
  }

  get offersDigests(): boolean {
    return offersDigests(this.#offer)
  }

  /** The replica has the records as they are now. */
  catchUp(): void {
    for (const module of this.modules) {
      const copies = [...module.records].map(([reference, { name, data, edits }]) => {
        return [reference, { name, data: new Map(data), edits }] as const
      })
      this.#replica.set(module, new Map(copies))
    }
  }

  /** A module has the records of a backup again, without a push. */
  restoreBackup(): void {
    const module = this.#digestChoices.pick(this.modules)
    module.records = new Map(this.#replica.get(module))
    this.catchUp()
  }

  moduleOf(recordType: string): PlatformModule {
    const found = this.modules.find((module) => module.record_type === recordType)
    if (!found) throw new Error(`The platform has no module ${recordType}`)
    return found
  }

  /** Creates, changes or deletes a record. Returns the push that reports it; null for none. */
  change(now: number): SentPush | null {
    if (this.#digestChoices.chance(0.2)) this.catchUp()
    const module = this.#choices.pick(this.modules)
    const references = [...module.records.keys()]
    const what = this.#choices.between(0, 1)
    if (what < 0.2 || references.length === 0) {
      return this.#describe(module, this.#create(module), 'POST', now, null)
    }
    const reference = this.#choices.pick(references)
    if (what < 0.28) {
      module.records.delete(reference)
      return null
    }
    if (what < 0.32) return this.#invalid(module, reference, now)
    const changed = this.#update(module, reference)
    // Some changes are never reported: only pulls find them.
    if (this.#choices.chance(0.15)) return null
    const method = this.#choices.chance(0.4) ? 'POST' : 'PATCH'
    return this.#describe(module, reference, method, now, changed)
  }

  /** Loses many records of a module, without a push. */
  loseMany(): void {
    const module = this.#choices.pick(this.modules)
    const share = this.#digestChoices.pick([0.4, 0.7])
    for (const reference of module.records.keys()) {
      if (this.#choices.chance(share)) module.records.delete(reference)
    }
  }

  /** Adds a key to a module, or removes one. Its manifest and all of its records change. */
  changeKeys(): void {
    const module = this.#choices.pick(this.modules)
    const [first, ...others] = module.keys
    if (first !== undefined && others.length > 0 && this.#choices.chance(0.5)) {
      module.keys = others
      for (const [reference, record] of module.records) {
        record.data.delete(first)
        this.#edit(reference, record)
      }
    } else {
      const added = this.#value()
      module.keys = [...module.keys, added]
      for (const [reference, record] of module.records) {
        record.data.set(added, this.#value())
        this.#edit(reference, record)
      }
    }
    this.catchUp()
  }

  #edit(reference: string, record: PlatformRecord): void {
    const edits = (this.#edits.get(reference) ?? 1) + 1
    this.#edits.set(reference, edits)
    record.edits = edits
  }

  #create(module: PlatformModule): string {
    this.#references += 1
    const reference = `R-${this.#references}`
    const data = new Map(module.keys.map((key) => [key, this.#value()]))
    module.records.set(reference, { name: `Name ${this.#references}`, data, edits: 1 })
    return reference
  }

  #update(module: PlatformModule, reference: string): string[] {
    const record = this.#recordOf(module, reference)
    const keys = module.keys.filter(() => this.#choices.chance(0.4))
    for (const key of keys) record.data.set(key, this.#value())
    if (keys.length === 0) record.name = `Name ${this.#value()}`
    this.#edit(reference, record)
    return keys
  }

  #value(): string {
    this.#values += 1
    return `v${this.#values}`
  }

  #recordOf(module: PlatformModule, reference: string): PlatformRecord {
    const record = module.records.get(reference)
    if (!record) throw new Error(`The platform has no record ${reference}`)
    return record
  }

  /** @param changed the changed keys; an empty list if the name has changed, null for a new record. */
  #describe(
    module: PlatformModule,
    reference: string,
    method: 'POST' | 'PATCH',
    now: number,
    changed: string[] | null,
  ): SentPush {
    const record = this.#recordOf(module, reference)
    const isWhole = method === 'POST' || changed === null
    const data = new Map([...record.data].filter(([key]) => isWhole || changed.includes(key)))
    // A key that neither the manifest nor the records response has.
    if (!isWhole && this.#choices.chance(0.15)) data.set('extra', this.#value())
    const hasName = isWhole || changed.length === 0 || this.#choices.chance(0.2)
    return {
      ...this.#newPush(module, method, reference, now),
      full_name: hasName ? record.name : null,
      data,
    }
  }

  #newPush(module: PlatformModule, method: 'POST' | 'PATCH', reference: string, now: number) {
    this.#pushes += 1
    const sends = this.#sendsTimes === 'sometimes' ? this.#choices.chance(0.5) : null
    return {
      id: `${this.name}-${this.#pushes}`,
      platform: this.name,
      record_type: module.record_type,
      method,
      reference_number: reference,
      occurredAt: (sends ?? this.#sendsTimes === 'always') ? Math.floor(now) : null,
      invalid: null,
    }
  }

  #invalid(module: PlatformModule, reference: string, now: number): SentPush {
    const push = { ...this.#newPush(module, 'POST', reference, now), data: new Map() }
    return this.#choices.chance(0.5)
      ? { ...push, record_type: 'unregistered', full_name: 'Nobody', invalid: 'module' }
      : { ...push, full_name: null, invalid: 'member' }
  }

  /** The response to a request of the records of a module, of the page `page`, or of its digest. */
  serve(
    request: RecordsRequest,
    fault: ResponseFault | null,
    pageSize: number | null,
  ): ServedResponse {
    const module = this.moduleOf(request.record_type)
    if (fault === 'busy') return emptyResponse(503, { 'retry-after': '2' })
    if (fault === 'failed') return emptyResponse(500)
    this.#responses += 1
    const { digits } = request
    if (digits !== null) return this.#serveDigest(module, { ...request, digits }, fault)
    const isSelected = request.prefixes === null || this.#offer.digests !== 'no_prefix'
    const prefixes = isSelected ? request.prefixes : null
    const all = selectBuckets(this.#recordsOf(module), prefixes)
    const size = pageSize ?? Math.max(1, all.length)
    const etag = `"${JSON.stringify(all.map(([reference, { name, data }]) => [reference, name, ...data.values()])).replace(/[^\w,-]/g, '')}"`
    if (fault === null && request.ifNoneMatch === etag) {
      return {
        ...emptyResponse(304),
        elements: all.map((one) => this.#toElement(one)),
        isNotModified: true,
      }
    }
    const from = (request.page - 1) * size
    const page = all.slice(from, from + size)
    const omitted = this.#omitted(page, fault)
    const served = page.filter((_, index) => !omitted.has(index))
    const total = fault === 'omits_quietly' ? all.length - omitted.size : all.length
    const hasNext = from + size < all.length
    const usesETag = this.#supportsETags && fault === null && pageSize === null
    const query = request.prefixes === null ? '' : `prefix=${request.prefixes.join(',')}&`
    return this.#write(module, served, {
      fault,
      ...{ prefixes: request.prefixes, isSelected },
      total: fault === 'wrong_total' ? total + 1 : total,
      hasNext,
      headers: {
        ...(usesETag ? { etag } : {}),
        ...(hasNext ? { link: `<?${query}page=${request.page + 1}>; rel="next"` } : {}),
      },
    })
  }

  #recordsOf(module: PlatformModule): Map<string, PlatformRecord> {
    const isBehind = this.#offer.digests === 'replica' && this.#digestChoices.chance(0.3)
    return (isBehind ? this.#replica.get(module) : null) ?? module.records
  }

  #serveDigest(
    module: PlatformModule,
    { digits, prefixes }: DigestRequest,
    fault: ResponseFault | null,
  ): ServedResponse {
    const elements = [...this.#recordsOf(module)].map((one) => this.#toElement(one))
    const versions = new Map(elements.map(({ reference, version }) => [reference, version]))
    const digest = { digits, prefixes, versions }
    const { record_type } = module
    const envelope = { platform_name: this.name, record_type }
    const text = writeDigest(this.#offer.digests, digest, envelope)
    if (text === null) return emptyResponse(404)
    const body = Buffer.from(text)
    return {
      ...emptyResponse(200, { 'content-type': 'application/json' }),
      ...this.#endOf(body, fault),
      ...{ body, digest },
    }
  }

  #endOf(body: Buffer, fault: ResponseFault | null): Pick<ServedResponse, 'end' | 'sentBytes'> {
    const isCut = fault === 'cut_off' || fault === 'stalled'
    if (!isCut) return { end: 'complete', sentBytes: body.length }
    return { end: fault, sentBytes: this.#choices.int(body.length) }
  }

  /** The positions of the records that a response omits. */
  #omitted(page: unknown[], fault: ResponseFault | null): Set<number> {
    if (fault !== 'omits' && fault !== 'omits_quietly') return new Set()
    const share = this.#choices.pick([0.1, 0.6])
    return new Set(page.map((_, index) => index).filter(() => this.#choices.chance(share)))
  }

  #write(
    { record_type }: PlatformModule,
    records: [string, PlatformRecord][],
    options: {
      fault: ResponseFault | null
      prefixes: readonly string[] | null
      isSelected: boolean
      total: number
      hasNext: boolean
      headers: Record<string, string>
    },
  ): ServedResponse {
    const { fault, prefixes, isSelected, total, hasNext, headers } = options
    const texts = records.map(([reference, record]) => this.#writeElement(reference, record))
    const [first] = records
    const repeated: string[] = []
    if (fault === 'duplicates' && first !== undefined) {
      const [reference, record] = first
      repeated.push(reference)
      texts.push(this.#writeElement(reference, { ...record, name: 'Repeated' }))
    }
    if (fault === 'nameless') texts.push('{"full_name":"No reference","data":{}}')
    const echo = prefixes === null || !isSelected ? {} : { prefix: prefixes.join(',') }
    const envelope = { success: true, platform_name: this.name, module_name: record_type, ...echo }
    const head = `${JSON.stringify({ ...envelope, record_type, total }).slice(0, -1)},"records":[`
    let text = head
    const elements: ServedElement[] = []
    for (const [index, element] of texts.entries()) {
      text += `${index > 0 ? ',' : ''}${element}`
      const record = records[index]
      if (record) elements.push({ ...this.#toElement(record), end: text.length })
    }
    const body = Buffer.from(`${text}]}`)
    return {
      ...emptyResponse(200, { 'content-type': 'application/json', ...headers }),
      ...this.#endOf(body, fault),
      ...{ body, elements, repeated, total, hasNext, prefixes, isSelected },
      nameless: fault === 'nameless' ? 1 : 0,
    }
  }

  #versionOf({ edits }: PlatformRecord) {
    return versionOf(this.#offer.versions, { edits, responses: this.#responses })
  }

  #toElement([reference, record]: [string, PlatformRecord]): ServedElement {
    const version = this.#versionOf(record)?.version ?? null
    return { reference, name: record.name, data: new Map(record.data), version, end: 0 }
  }

  #writeElement(reference: string, record: PlatformRecord): string {
    return JSON.stringify({
      reference_number: reference,
      full_name: record.name,
      data: Object.fromEntries(record.data),
      version: this.#versionOf(record)?.json,
    })
  }

  manifest(): unknown {
    return {
      success: true,
      platform_name: this.name,
      platform_title: `Title ${this.name}`,
      platform_description: 'Simulated',
      modules: this.modules.map(({ record_type, keys }) => manifestModule(record_type, keys)),
    }
  }
}

export function manifestModule(record_type: string, keys: readonly string[]) {
  return {
    module_name: record_type,
    record_type,
    description: record_type,
    fields: keys.map((key) => ({ key, label: key, type: 'string', required: false })),
  }
}

export function emptyResponse(
  status: number,
  headers: Record<string, string> = {},
): ServedResponse {
  return {
    status,
    headers,
    body: Buffer.alloc(0),
    elements: [],
    repeated: [],
    nameless: 0,
    total: null,
    end: 'complete',
    sentBytes: 0,
    isNotModified: false,
    hasNext: false,
    prefixes: null,
    isSelected: true,
    digest: null,
  }
}
