/** Sends the pushes of a platform to the hubs, retries them, and checks what it is told. */
import { hash } from 'node:crypto'
import type { CommitChecker, Delivery } from './commit-checker.ts'
import { PUSH_ID_HEADER } from './hub.ts'
import type { HubProcess } from './hub-process.ts'
import type { SentPush } from './platform.ts'
import { type Choices, runInContext, type Scheduler } from './scheduler.ts'
import { check } from './violation.ts'

export type PushClientDeps = {
  scheduler: Scheduler
  choices: Choices
  checker: CommitChecker
  /** A process that accepts connections; null if there is none. */
  findListening: () => HubProcess | null
  hasFaults: () => boolean
  /** The hub key that the platform has. */
  keyOf: () => string
  /** Whether the storage has failed, or a hub was overloaded, since a virtual time. */
  hadOutage: (since: number) => boolean
  /** Whether the platform waits for the response to a push before it sends the next one. */
  isOrdered: boolean
}

const TIMEOUT_MS = 8000
const MAX_ATTEMPTS = 6

type Response = { status: number; body: string }

export class PushClient {
  readonly #deps: PushClientDeps
  readonly #queue: SentPush[] = []
  #unfinished = 0
  #isSending = false
  #deliveries = 0
  acknowledged = 0
  rejected = 0

  constructor(deps: PushClientDeps) {
    this.#deps = deps
  }

  /** Whether every push was acknowledged, rejected or given up. */
  get isIdle(): boolean {
    return this.#unfinished === 0
  }

  push(push: SentPush): void {
    const { choices, scheduler, hasFaults, isOrdered } = this.#deps
    this.#unfinished += 1
    if (isOrdered) {
      this.#queue.push(push)
      this.#sendNext()
    } else this.#attempt(push, 1)
    if (hasFaults() && choices.chance(0.08)) {
      // The platform, or something between it and the hub, sends the push a second time.
      this.#unfinished += 1
      scheduler.after(choices.between(0, 20_000), null, () => this.#attempt(push, 1))
    }
  }

  #sendNext(): void {
    if (this.#isSending) return
    const next = this.#queue.shift()
    if (!next) return
    this.#isSending = true
    this.#attempt(next, 1)
  }

  #attempt(push: SentPush, attempt: number): void {
    const { scheduler, choices, checker, hasFaults } = this.#deps
    this.#deliveries += 1
    const key = this.#deps.keyOf()
    const delivery: Delivery = {
      ...{ id: `${push.id}/${this.#deliveries}`, push, key_hash: hash('sha256', key, 'base64url') },
      ...{ arrived: null, outcome: null, isHeld: false, position: null, isSaved: false },
    }
    checker.deliveries.set(delivery.id, delivery)
    let isOver = false
    const timeout = scheduler.after(TIMEOUT_MS, null, () => fail('no response'))
    const fail = (reason: string) => {
      if (isOver) return
      isOver = true
      scheduler.cancel(timeout)
      if (attempt >= MAX_ATTEMPTS && hasFaults()) return this.#finish()
      const pause = choices.between(300, 12_000)
      scheduler.after(pause, `retry ${push.id}: ${reason}`, () => this.#attempt(push, attempt + 1))
    }
    if (hasFaults() && choices.chance(0.06)) return
    scheduler.after(choices.between(0.5, 80), `${delivery.id} arrives`, () => {
      const receiver = this.#deps.findListening()
      if (!receiver) return fail('connection refused')
      this.#send(receiver, delivery, key, (response) => {
        const isFinal = this.#checkResponse(delivery, response)
        if (!isFinal) return fail(`told ${response.status}`)
        if (isOver) return
        isOver = true
        scheduler.cancel(timeout)
        this.#finish()
      })
    })
  }

  #send(
    receiver: HubProcess,
    delivery: Delivery,
    key: string,
    onResponse: (response: Response) => void,
  ): void {
    const { scheduler, choices, hasFaults } = this.#deps
    const { push } = delivery
    const isLost = hasFaults() && choices.chance(0.08)
    const latency = choices.chance(0.03) ? choices.between(1000, 20_000) : choices.between(0.5, 80)
    const payload = {
      ...{ record_type: push.record_type, module_name: push.record_type },
      reference_number: push.reference_number,
      ...(push.full_name === null ? {} : { full_name: push.full_name }),
      data: Object.fromEntries(push.data),
      ...(push.occurredAt === null ? {} : { occurred_at: new Date(push.occurredAt).toISOString() }),
    }
    receiver.run(() => {
      delivery.arrived = { at: scheduler.now, hubTime: Date.now() }
      const responding = receiver.hub?.http.inject({
        method: push.method,
        url: '/api/webhook/receive',
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          [PUSH_ID_HEADER]: delivery.id,
        },
        payload: JSON.stringify(payload),
      })
      void responding?.then(({ statusCode: status, body }) => {
        // What a killed process has not sent is lost.
        if (!receiver.isAlive || isLost) return
        const label = `${delivery.id} is told ${status}`
        runInContext(null, () => {
          scheduler.after(latency, label, () => onResponse({ status, body }))
        })
      })
    })
  }

  /** Returns whether the platform need not send the push again. */
  #checkResponse(delivery: Delivery, { status, body }: Response): boolean {
    const { id, push, outcome } = delivery
    const told = JSON.parse(body)
    if (status === 200 || status === 201) {
      check(push.invalid === null, `The hub accepted the invalid push ${id}`)
      check(outcome !== null, `The hub acknowledged ${id}, which is not committed`)
      check(
        told.outcome === outcome,
        `The hub told ${told.outcome} for ${id} instead of ${outcome}`,
      )
      check((status === 201) === (outcome === 'created'), `${id} is ${outcome}, but told ${status}`)
      check(this.#isKept(delivery), `The hub held back values of ${id}, and has not kept them`)
      this.acknowledged += 1
      return true
    }
    // What a hold leaves out is stored after the rest. The platform sends the push again if that fails.
    const isHalf = delivery.isHeld && !delivery.isSaved
    check(outcome === null || isHalf, `The hub stored ${id}, which it rejected: ${body}`)
    check(this.#isJustified(delivery, status), `The hub rejected ${id} with ${status}: ${body}`)
    this.rejected += 1
    return status === 422 || status === 410
  }

  /** Whether an operator can still replay what the hub has left out of a push because of holds. */
  #isKept({ push, isHeld, isSaved }: Delivery): boolean {
    const { registry } = this.#deps.checker.model
    // The body of a push that is not saved names an erased record, or the platform was removed.
    const isRemoved = registry.platformNamed(push.platform) === null
    return !isHeld || isSaved || isRemoved || registry.hasErased(push.platform)
  }

  /** Whether the hub had a reason for a rejection while it handled the push. */
  #isJustified(delivery: Delivery, status: number): boolean {
    const { push, key_hash, arrived, isSaved } = delivery
    const { registry } = this.#deps.checker.model
    const platform = registry.platforms.find(({ keys }) => keys.has(key_hash))
    if (!platform || !arrived) return false
    const hasChanged = platform.changedAt >= arrived.at
    if (status === 503) return this.#deps.hadOutage(arrived.at)
    if (status === 401) {
      const expiresAt = platform.keys.get(key_hash) ?? null
      return hasChanged || !platform.isActive || platform.isRemoved || expiresAt !== null
    }
    const authorized = registry.authorize(platform, push)
    const isErased = registry.hasErased(platform.name)
    if (status === 410) return hasChanged || authorized === 'record_erased'
    if (status !== 422) return false
    // The body of a push that is not saved names an erased record, or the platform was removed.
    check(
      isSaved || isErased || platform.isRemoved,
      `The rejected push ${delivery.id} is not saved`,
    )
    return push.invalid !== null || hasChanged || authorized === 'module_not_registered'
  }

  #finish(): void {
    this.#unfinished -= 1
    this.#isSending = false
    this.#sendNext()
  }
}
