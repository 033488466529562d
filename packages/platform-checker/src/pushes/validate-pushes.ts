/** Validates the pushes of a platform (specification 4.1), and how it handles injected faults. */

import { setTimeout } from 'node:timers/promises'
import { type CheckedEndpoint, HUB_KEY_HEADER } from '@recordhub/protocol'
import {
  canonicalText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '@recordhub/protocol/lossless-json'
import type { ReadComparison } from '../compare-reads.ts'
import type { Findings } from '../findings.ts'
import type { HubRules, PlatformError } from '../hub.ts'
import { Section } from '../section.ts'
import type { CheckedModule } from '../validate-manifest.ts'
import { RecordValidator } from '../validate-record.ts'
import {
  type Fault,
  type FaultEvent,
  FaultInjector,
  type FaultLimits,
  MAX_ATTEMPTS_WITH_BACKOFF,
  type PushIdentity,
} from './fault-injector.ts'

/** A push as the test receiver received it. */
export type ObservedPush = {
  method: 'POST' | 'PATCH'
  body: JsonValue
  /** The value of a header by its lower-case name; "" if it is missing. */
  header: (name: string) => string
}

/** Whether the records endpoint lists a record; null if it could not be read completely. */
type IsListed = (recordType: string, reference: string) => boolean | null

const MEMBERS = new Set([
  'record_type',
  'module_name',
  'reference_number',
  'full_name',
  'data',
  'occurred_at',
])

/** The behaviours that the check observes. It is complete when each has been observed once. */
const BEHAVIOURS = {
  post: 'a new record is sent by POST',
  patch: 'a change is sent by PATCH',
  null: 'a field without a value is sent as null',
  unavailable: 'a push is retried after 503 with Retry-After',
  disconnected: 'a push is retried after its connection was closed without a response',
  unauthorized: 'a push is saved and retried after 401',
  rejected: 'a push is not retried after 422',
} as const
type Behaviour = keyof typeof BEHAVIOURS

/** Describes a push by its fault. */
const AFTER_FAULT: Record<Fault, string> = {
  unavailable: 'that received 503',
  disconnected: 'whose connection was closed',
  unauthorized: 'that received 401',
  rejected: 'that received 422',
}

/** Validates pushes one by one, and decides which of them get a fault. */
export class PushValidator {
  readonly limits: FaultLimits
  readonly #findings: Findings
  readonly #rules: HubRules
  readonly #modules: ReadonlyMap<string, CheckedModule>
  readonly #isListed: IsListed
  readonly #tunnelHeader: string
  readonly #injector: FaultInjector
  readonly #recordValidators = new Map<string, RecordValidator>()
  /** The data of each record after the accepted pushes. */
  readonly #stored = new Map<string, JsonObject>()
  /** The records sent by POST, including those that got a fault. */
  readonly #posted = new Set<string>()
  readonly #observed = new Set<Behaviour>()
  #count = 0
  /** The times of recent pushes without the right key. */
  #unauthorizedAt: number[] = []

  constructor(options: {
    findings: Findings
    rules: HubRules
    modules: readonly CheckedModule[]
    isListed: IsListed
    tunnelHeader: string
    limits: FaultLimits
  }) {
    this.#findings = options.findings
    this.#rules = options.rules
    this.#modules = new Map(options.modules.map((module) => [module.record_type, module]))
    this.#isListed = options.isListed
    this.#tunnelHeader = options.tunnelHeader
    this.limits = options.limits
    this.#injector = new FaultInjector(options.limits)
  }

  get count(): number {
    return this.#count
  }

  /** Whether every behaviour has been observed. */
  get isComplete(): boolean {
    return this.#observed.size === Object.keys(BEHAVIOURS).length
  }

  /**
   * Called for each push with the right key and a JSON body.
   * @returns the fault to inject; null if the hub's own rules apply.
   */
  receive(push: ObservedPush, now: number): Fault | null {
    this.#count += 1
    const identity = this.#identify(push)
    if (push.method === 'POST') this.#posted.add(identity.record)
    const { fault, events } = this.#injector.receive(identity, now)
    for (const event of events) this.#handleEvent(event)
    this.#validateHeaders(push)
    return fault
  }

  /** Called for each push that the hub would accept. */
  accepted({ method, body }: ObservedPush): void {
    if (!isJsonObject(body)) return
    this.#observed.add(method === 'POST' ? 'post' : 'patch')
    const { data, occurred_at, module_name } = body
    const position = { element: this.#count, reference: this.#rules.referenceOf(body) }
    for (const member of Object.keys(body)) {
      if (MEMBERS.has(member)) continue
      const occurrence = { ...position, field: member, params: { member } }
      this.#findings.add('push.member_unknown', occurrence)
    }
    if (occurred_at === undefined || occurred_at === null)
      this.#findings.add('push.occurred_at', position)
    const module = this.#modules.get(this.#rules.recordTypeOf(body) ?? '')
    if (!module) return
    if (module_name !== undefined && module_name !== module.module_name) {
      const found = JSON.stringify(module_name)
      this.#findings.add('push.module_name', { ...position, found })
    }
    const fields = isJsonObject(data) ? data : {}
    if (Object.values(fields).includes(null)) this.#observed.add('null')
    this.#validateContent(method, body, module)
    if (method === 'PATCH') this.#validatePatch(fields, module, position)
    this.#store(method, fields, module, position.reference)
  }

  /** Called for each push that the hub would reject. @param body undefined if it is not JSON. */
  rejected(error: PlatformError, body: JsonValue | undefined, now: number): void {
    if (error.code === 'api_key_invalid') this.#countUnauthorized(now)
    const reference = body === undefined ? null : this.#rules.referenceOf(body)
    this.#findings.addError(error, body === undefined ? {} : { element: this.#count, reference })
  }

  /** Called for each warning in a response of the hub. */
  warned(warning: string, body: JsonValue): void {
    if (!warning.startsWith('occurred_at')) return
    const reference = this.#rules.referenceOf(body)
    this.#findings.add('push.occurred_at_future', { reference })
  }

  /** Called regularly, to end observations that no push ends. */
  tick(now: number): void {
    for (const event of this.#injector.endObservation(now)) this.#handleEvent(event)
  }

  /** Called once at the end. @returns the observed behaviours. */
  end(now: number): string[] {
    this.tick(now)
    if (this.#count === 0) this.#findings.add('push.nothing')
    const missing = this.#injector.findMissingRetry(now)
    if (missing) this.#findings.add('push.not_retried', { params: { after: AFTER_FAULT[missing] } })
    const observed: string[] = []
    for (const [behaviour, description] of Object.entries(BEHAVIOURS)) {
      if (this.#observed.has(toBehaviour(behaviour))) observed.push(`Observed: ${description}.`)
      else if (missing && behaviour !== missing && behaviour in AFTER_FAULT) {
        const params = { behaviour: description, after: AFTER_FAULT[missing] }
        this.#findings.add('push.blocked', { params })
      } else if (this.#count > 0 && behaviour !== missing) {
        this.#findings.add('push.not_seen', { params: { behaviour: description } })
      }
    }
    return observed
  }

  #handleEvent(event: FaultEvent): void {
    switch (event.type) {
      case 'handled':
        this.#observed.add(event.fault)
        return
      case 'retried_too_early':
        this.#findings.add('push.retry_after_ignored')
        return
      case 'out_of_order':
        this.#findings.add('push.order')
        return
      case 'retry_storm':
        if (event.fault === 'rejected') this.#findings.add('push.rejected_again')
        else this.#addStorm(AFTER_FAULT[event.fault], event.attempts)
    }
  }

  #countUnauthorized(now: number): void {
    const { observationMs } = this.limits
    const recent = this.#unauthorizedAt.filter((at) => now - at < observationMs)
    this.#unauthorizedAt = [...recent, now]
    const count = this.#unauthorizedAt.length
    if (count !== MAX_ATTEMPTS_WITH_BACKOFF + 1) return
    this.#addStorm(`without the right ${HUB_KEY_HEADER}`, count)
  }

  #addStorm(after: string, count: number): void {
    const seconds = Math.round(this.limits.observationMs / 1000)
    this.#findings.add('push.storm', { params: { after, count, seconds } })
  }

  #validateHeaders({ header }: ObservedPush): void {
    if (!/json|\*\/\*/i.test(header('accept'))) {
      this.#findings.add('push.header', { params: { header: 'Accept: application/json' } })
    }
    if (header(this.#tunnelHeader.toLowerCase()) === '') {
      this.#findings.add('push.header', { params: { header: `${this.#tunnelHeader}: true` } })
    }
  }

  #validateContent(method: 'POST' | 'PATCH', body: JsonObject, module: CheckedModule): void {
    const { reference_number = null, full_name, data = null } = body
    // A PATCH may omit the name and required fields.
    const value = { reference_number, full_name: full_name ?? '-', data }
    const bytes = Buffer.byteLength(JSON.stringify(value))
    this.#recordValidatorFor(method, module).validate({ value, index: this.#count - 1, bytes })
  }

  #recordValidatorFor(method: 'POST' | 'PATCH', module: CheckedModule): RecordValidator {
    const key = JSON.stringify([method, module.record_type])
    const known = this.#recordValidators.get(key)
    if (known) return known
    const fields =
      method === 'POST'
        ? module.fields
        : module.fields.map((field) => ({ ...field, required: false }))
    const validator = new RecordValidator({ fields }, this.#findings, this.#rules)
    this.#recordValidators.set(key, validator)
    return validator
  }

  #validatePatch(
    data: JsonObject,
    { record_type }: CheckedModule,
    position: { element: number; reference: string | null },
  ): void {
    const reference = position.reference ?? ''
    const record = recordKey(record_type, reference)
    if (!this.#posted.has(record) && this.#isListed(record_type, reference) === false) {
      this.#findings.add('push.reference_unknown', position)
    }
    const stored = this.#stored.get(record)
    for (const [key, value] of Object.entries(data)) {
      const before = stored?.[key]
      if (before === undefined || canonicalText(before) !== canonicalText(value)) continue
      this.#findings.add('push.patch_unchanged', { ...position, field: key })
    }
  }

  #store(
    method: 'POST' | 'PATCH',
    data: JsonObject,
    { record_type }: CheckedModule,
    reference: string | null,
  ): void {
    const record = recordKey(record_type, reference ?? '')
    this.#stored.set(record, method === 'POST' ? data : { ...this.#stored.get(record), ...data })
  }

  #identify({ method, body }: ObservedPush): PushIdentity {
    const { data = null, full_name = null, occurred_at } = isJsonObject(body) ? body : {}
    const record = recordKey(this.#rules.recordTypeOf(body), this.#rules.referenceOf(body))
    const content = canonicalText({ data, full_name })
    return {
      record,
      push: `${method} ${record} ${content}`,
      hasTime: typeof occurred_at === 'string',
    }
  }
}

function recordKey(recordType: string | null, reference: string | null): string {
  return JSON.stringify([recordType, reference])
}

function toBehaviour(name: string): Behaviour {
  const behaviour = Object.keys(BEHAVIOURS).find((one): one is Behaviour => one === name)
  if (behaviour === undefined) throw new Error(`Unknown behaviour ${name}`)
  return behaviour
}

const DEFAULT_LIMITS: FaultLimits = { retryAfterSeconds: 2, observationMs: 10_000 }
const TICK_MS = 250

/** A server that responds to pushes as a hub does, passes them to the validator, and injects its faults. */
export type TestReceiver = { address: string; hubApiKey: string; close: () => Promise<void> }

export type PushCheck = {
  rules: HubRules
  /** The modules of the platform, with the records that each lists; null if they were not read completely. */
  modules: ReadonlyMap<CheckedModule, ReadComparison | null>
  tunnelHeader: string
  /** Ends the check. */
  signal: AbortSignal
  limits?: FaultLimits
  /** A monotonic clock in milliseconds. */
  now?: () => number
  openReceiver: (validator: PushValidator, now: () => number) => Promise<TestReceiver>
  /** Called with the address and the key to which the platform must push. */
  onOpen: (address: string, hubApiKey: string) => void
}

/** Opens a test receiver and validates pushes until every behaviour is observed or the signal aborts. */
export async function checkPushes(check: PushCheck): Promise<CheckedEndpoint> {
  const { rules, modules, tunnelHeader, signal } = check
  const { limits = DEFAULT_LIMITS, now = () => performance.now() } = check
  const secrets: string[] = []
  const section = new Section('push', 'Pushes', rules, () => secrets)
  const listed = new Map([...modules].map(([module, read]) => [module.record_type, read]))
  const validator = new PushValidator({
    ...{ findings: section.findings, rules, tunnelHeader, limits },
    modules: [...modules.keys()],
    isListed: (type, reference) => listed.get(type)?.hasFirst(reference) ?? null,
  })
  const receiver = await check.openReceiver(validator, now)
  secrets.push(receiver.hubApiKey)
  try {
    check.onOpen(receiver.address, receiver.hubApiKey)
    while (!validator.isComplete && !signal.aborted) {
      await setTimeout(TICK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) validator.tick(now())
    }
  } finally {
    await receiver.close()
  }
  if (validator.count > 0) section.addPassed(`Pushes received: ${validator.count}.`)
  for (const behaviour of validator.end(now())) section.addPassed(behaviour)
  return section.result()
}
