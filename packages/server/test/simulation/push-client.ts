/** Sends the pushes of a platform to the hubs, retries them, and checks what it is told. */
import type { CommitChecker, Delivery } from './commit-checker.ts'
import { check } from './commit-checker.ts'
import { PUSH_ID_HEADER } from './hub.ts'
import type { HubProcess } from './hub-process.ts'
import type { SentPush } from './platform.ts'
import { type Choices, runInContext, type Scheduler } from './scheduler.ts'

export type PushClientDeps = {
  scheduler: Scheduler
  choices: Choices
  checker: CommitChecker
  /** A process that accepts connections; null if there is none. */
  findListening: () => HubProcess | null
  hasFaults: () => boolean
  key: string
  /** Whether the platform waits for the response to a push before it sends the next one. */
  isOrdered: boolean
}

const TIMEOUT_MS = 8000
const MAX_ATTEMPTS = 6

type Response = { status: number; body: string }

export class PushClient {
  readonly #deps: PushClientDeps
  readonly #queue: SentPush[] = []
  /** The record ids that the hub has told. */
  readonly #recordIds = new Map<string, number>()
  #unfinished = 0
  #isSending = false
  #deliveries = 0
  acknowledged = 0

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
    const delivery: Delivery = { id: `${push.id}/${this.#deliveries}`, push, outcome: null }
    checker.deliveries.set(delivery.id, delivery)
    let isOver = false
    const timeout = scheduler.after(TIMEOUT_MS, null, () => fail('no response'))
    const fail = (reason: string) => {
      if (isOver) return
      isOver = true
      scheduler.cancel(timeout)
      if (attempt >= MAX_ATTEMPTS && hasFaults()) return this.#finish(push)
      const pause = choices.between(300, 12_000)
      scheduler.after(pause, `retry ${push.id}: ${reason}`, () => this.#attempt(push, attempt + 1))
    }
    if (hasFaults() && choices.chance(0.06)) return
    scheduler.after(choices.between(0.5, 80), `${delivery.id} arrives`, () => {
      const receiver = this.#deps.findListening()
      if (!receiver) return fail('connection refused')
      this.#send(receiver, delivery, (response) => {
        this.#checkResponse(delivery, response)
        if (isOver) return
        isOver = true
        scheduler.cancel(timeout)
        this.#finish(push)
      })
    })
  }

  #send(receiver: HubProcess, delivery: Delivery, onResponse: (response: Response) => void): void {
    const { scheduler, choices, hasFaults, key } = this.#deps
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

  #checkResponse({ id, push, outcome }: Delivery, { status, body }: Response): void {
    if (status === 422) {
      check(push.invalid !== null, `The hub rejected the valid push ${id}: ${body}`)
      check(outcome === null, `The hub stored ${id}, which it rejected`)
      return
    }
    check(status === 200 || status === 201, `The hub responded to ${id} with ${status}: ${body}`)
    check(push.invalid === null, `The hub accepted the invalid push ${id}`)
    check(outcome !== null, `The hub acknowledged ${id}, which is not committed`)
    const told = JSON.parse(body)
    check(told.outcome === outcome, `The hub told ${told.outcome} for ${id} instead of ${outcome}`)
    check((status === 201) === (outcome === 'created'), `${id} is ${outcome}, but told ${status}`)
    const record = `${push.record_type} ${push.reference_number}`
    const known = this.#recordIds.get(record) ?? told.record_id
    check(known === told.record_id, `The record id of ${record} changed to ${told.record_id}`)
    this.#recordIds.set(record, known)
    this.acknowledged += 1
  }

  #finish(_push: SentPush): void {
    this.#unfinished -= 1
    this.#isSending = false
    this.#sendNext()
  }
}
