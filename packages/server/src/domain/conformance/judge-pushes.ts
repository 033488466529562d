/** What is wrong with the pushes that a platform sends (specification 4.1), and what it does when they fail. */
import { HUB_KEY_HEADER } from '@recordhub/protocol'
import type { ErrorCode, HubError } from '../../errors.ts'
import {
  canonicalText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../lib/json/lossless-json.ts'
import { recordTypeOf, referenceOf } from '../record/record-input.ts'
import type { Findings } from './findings.ts'
import type { JudgedModule } from './judge-manifest.ts'
import { RecordJudge } from './judge-record.ts'
import {
  MAX_TRIES_WITH_BACKOFF,
  type PushName,
  PushTroubles,
  type Reception,
  type Trouble,
  type TroubleLimits,
  type TroubleNews,
} from './push-troubles.ts'

export type PushSighting = {
  method: 'POST' | 'PATCH'
  body: JsonValue
  /** A header by its name in small letters; "" for none. */
  header: (name: string) => string
}

/** Whether the records endpoint listed a record; null where that was not read. */
export type ListedRecords = (recordType: string, reference: string) => boolean | null

const MEMBERS = new Set([
  'record_type',
  'module_name',
  'reference_number',
  'full_name',
  'data',
  'occurred_at',
])

const POINTS = {
  post: 'pushing a new record by POST',
  patch: 'pushing a change by PATCH',
  null: 'sending null for a field without a value',
  unavailable: 'sending a push again that was answered with 503 and Retry-After',
  dropped: 'sending a push again whose connection was cut before an answer',
  unauthorized: 'keeping a push that was answered with 401, and sending it again',
  refused: 'giving up a push that was refused with 422',
} as const
type Point = keyof typeof POINTS

const AFTER: Record<Trouble, string> = {
  unavailable: 'that was answered with 503',
  dropped: 'whose connection was cut',
  unauthorized: 'that was answered with 401',
  refused: 'that was refused with 422',
}

/** Judges pushes one by one, and says which of them are to meet a trouble. */
export class PushJudge {
  readonly #findings: Findings
  readonly #modules: ReadonlyMap<string, JudgedModule>
  readonly #isListed: ListedRecords
  readonly #tunnelHeader: string
  readonly #limits: TroubleLimits
  readonly #troubles: PushTroubles
  readonly #wholes = new Map<string, RecordJudge>()
  readonly #changes = new Map<string, RecordJudge>()
  /** What the pushes have made of each record. */
  readonly #stored = new Map<string, JsonObject>()
  /** The records that came as a whole, also where that was refused on purpose. */
  readonly #sent = new Set<string>()
  readonly #met = new Set<Point>()
  #count = 0
  #badKeys: number[] = []

  constructor(options: {
    findings: Findings
    modules: readonly JudgedModule[]
    isListed: ListedRecords
    tunnelHeader: string
    limits: TroubleLimits
  }) {
    this.#findings = options.findings
    this.#modules = new Map(options.modules.map((module) => [module.record_type, module]))
    this.#isListed = options.isListed
    this.#tunnelHeader = options.tunnelHeader
    this.#limits = options.limits
    this.#troubles = new PushTroubles(options.limits)
  }

  get count(): number {
    return this.#count
  }

  get isDone(): boolean {
    return this.#met.size === Object.keys(POINTS).length
  }

  /** A push with the right key and a body that is JSON. */
  receive(sighting: PushSighting, now: number): Reception {
    this.#count += 1
    const name = nameOf(sighting)
    if (sighting.method === 'POST') this.#sent.add(name.record)
    const { reception, news } = this.#troubles.receive(name, now)
    for (const one of news) this.#note(one)
    this.#judgeHeaders(sighting)
    return reception
  }

  /** The hub would have taken it. */
  taken({ method, body }: PushSighting): void {
    if (!isJsonObject(body)) return
    this.#met.add(method === 'POST' ? 'post' : 'patch')
    const { data, occurred_at, module_name } = body
    const where = { element: this.#count, reference: referenceOf(body) }
    for (const member of Object.keys(body)) {
      if (MEMBERS.has(member)) continue
      this.#findings.add('push.member_unknown', { ...where, field: member, params: { member } })
    }
    if (occurred_at === undefined) this.#findings.add('push.occurred_at', where)
    const module = this.#modules.get(recordTypeOf(body) ?? '')
    if (!module) return
    if (module_name !== undefined && module_name !== module.module_name) {
      this.#findings.add('push.module_name', { ...where, found: JSON.stringify(module_name) })
    }
    const fields = isJsonObject(data) ? data : {}
    if (Object.values(fields).includes(null)) this.#met.add('null')
    this.#judgeContent(method, body, module)
    this.#compare(method, fields, module, where)
  }

  /** The hub refuses it, for what it is. */
  refused(error: HubError, body: JsonValue | undefined, now: number): void {
    if (error.code === 'api_key_invalid') this.#noteBadKey(now)
    this.#findings.add(error.code, {
      message: error.message,
      ...(body === undefined ? {} : { element: this.#count, reference: referenceOf(body) }),
    })
  }

  /** A warning of the hub's answer. */
  warned(words: string, body: JsonValue): void {
    if (!words.startsWith('occurred_at')) return
    this.#findings.add('push.occurred_at_future', { reference: referenceOf(body) })
  }

  /** To be called now and then, and returns what has been met. */
  look(now: number): void {
    for (const one of this.#troubles.look(now)) this.#note(one)
  }

  /** To be called once at the end. @returns what was met, in words. */
  end(now: number): string[] {
    this.look(now)
    if (this.#count === 0) this.#findings.add('push.nothing')
    const lost = this.#troubles.lost(now)
    if (lost) this.#findings.add('push.not_retried', { params: { after: AFTER[lost] } })
    for (const [point, what] of Object.entries(POINTS)) {
      if (this.#met.has(toPoint(point)) || this.#count === 0 || point === lost) continue
      this.#findings.add('push.not_seen', { params: { what } })
    }
    return [...this.#met].map((point) => `It was seen ${POINTS[point]}.`)
  }

  #note(news: TroubleNews): void {
    if (news.what === 'met') this.#met.add(news.trouble)
    else if (news.what === 'too_early') this.#findings.add('push.retry_after_ignored')
    else if (news.what === 'overtaken') this.#findings.add('push.order')
    else if (news.trouble === 'refused') this.#findings.add('push.refused_again')
    else {
      const seconds = Math.round(this.#limits.quietMs / 1000)
      const params = { after: AFTER[news.trouble], count: news.count, seconds }
      this.#findings.add('push.storm', { params })
    }
  }

  #noteBadKey(now: number): void {
    this.#badKeys = [...this.#badKeys.filter((at) => now - at < this.#limits.quietMs), now]
    const count = this.#badKeys.length
    if (count !== MAX_TRIES_WITH_BACKOFF + 1) return
    const seconds = Math.round(this.#limits.quietMs / 1000)
    const params = { after: `without the right ${HUB_KEY_HEADER}`, count, seconds }
    this.#findings.add('push.storm', { params })
  }

  #judgeHeaders({ header }: PushSighting): void {
    if (!/json|\*\/\*/i.test(header('accept'))) {
      this.#findings.add('push.header', { params: { header: 'Accept: application/json' } })
    }
    if (header(this.#tunnelHeader.toLowerCase()) === '') {
      this.#findings.add('push.header', { params: { header: `${this.#tunnelHeader}: true` } })
    }
  }

  #judgeContent(method: 'POST' | 'PATCH', body: JsonObject, module: JudgedModule): void {
    const { reference_number = null, full_name, data = null } = body
    const isWhole = method === 'POST'
    const judges = isWhole ? this.#wholes : this.#changes
    const fields = isWhole
      ? module.fields
      : module.fields.map((field) => ({ ...field, required: false }))
    const judge = judges.get(module.record_type) ?? new RecordJudge({ fields }, this.#findings)
    judges.set(module.record_type, judge)
    // A PATCH may leave the name out.
    const value = { reference_number, full_name: full_name ?? '-', data }
    const bytes = Buffer.byteLength(JSON.stringify(value))
    judge.judge({ value, index: this.#count - 1, bytes })
  }

  #compare(
    method: 'POST' | 'PATCH',
    data: JsonObject,
    { record_type }: JudgedModule,
    where: { element: number; reference: string | null },
  ): void {
    const reference = where.reference ?? ''
    const name = JSON.stringify([record_type, reference])
    const stored = this.#stored.get(name)
    if (method === 'POST') {
      this.#stored.set(name, data)
      return
    }
    if (!this.#sent.has(name) && this.#isListed(record_type, reference) === false) {
      this.#findings.add('push.reference_unknown', where)
    }
    for (const [key, value] of Object.entries(data)) {
      const before = stored?.[key]
      if (before === undefined || canonicalText(before) !== canonicalText(value)) continue
      this.#findings.add('push.patch_unchanged', { ...where, field: key })
    }
    this.#stored.set(name, { ...stored, ...data })
  }
}

/** What a status means where there is no error of ours to say it. */
export const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_json',
  413: 'body_too_large',
  415: 'unsupported_media_type',
}

function nameOf({ method, body }: PushSighting): PushName {
  const { data = null, full_name = null, occurred_at } = isJsonObject(body) ? body : {}
  const record = JSON.stringify([recordTypeOf(body), referenceOf(body)])
  const content = canonicalText({ data, full_name })
  return { record, push: `${method} ${record} ${content}`, isDated: occurred_at !== undefined }
}

function toPoint(name: string): Point {
  const point = Object.keys(POINTS).find((one): one is Point => one === name)
  if (point === undefined) throw new Error(`There is no point ${name}`)
  return point
}
