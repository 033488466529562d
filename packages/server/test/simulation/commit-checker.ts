/** Applies each commit of the hubs to the reference model, and checks that the hubs were allowed to commit it. */
import type { MissingBatch } from '../../src/storage/port/missing-store.ts'
import type { PullTaskResult } from '../../src/storage/port/pull-store.ts'
import type { PullWrite, PushWrite, WriteBatch } from '../../src/storage/port/record-store.ts'
import type { Unit } from './commit-observer.ts'
import type { DatabaseView } from './database-view.ts'
import {
  afterPull,
  isSameData,
  type ModelRead,
  type Outcome,
  type ReferenceModel,
} from './model.ts'
import type { SentPush, ServedElement, ServedResponse } from './platform.ts'

/** A property that does not hold. */
export class ViolationError extends Error {}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ViolationError(message)
}

/** A push on its way to a hub. A platform that retries a push sends it in several deliveries. */
export type Delivery = { id: string; push: SentPush; outcome: Outcome | null }

/** A response that a read receives, and how much of it has arrived. */
type ReceivedResponse = { response: ServedResponse; arrivedBytes: number }

export type TrackedRead = ModelRead & {
  /** The process that reads. */
  owner: string
  responses: ReceivedResponse[]
  /** The state in which the task was stored; null while it runs, or if its process was killed. */
  ended: PullTaskResult['state'] | null
}

/** The share of a module, and the number of records, that an operator must review before they are marked. */
const THRESHOLD = { percent: 20, records: 10 }

export class CommitChecker {
  readonly model: ReferenceModel
  readonly deliveries = new Map<string, Delivery>()
  readonly #view: DatabaseView
  readonly #graceMs: number
  /** In the order in which they began. */
  readonly #reads: TrackedRead[] = []

  constructor(model: ReferenceModel, view: DatabaseView, missingGraceSeconds: number) {
    this.model = model
    this.#view = view
    this.#graceMs = missingGraceSeconds * 1000
  }

  /** The read for which a process requests the records of a module. */
  currentRead(owner: string, platform: string, recordType: string): TrackedRead {
    const module = this.model.moduleOf(platform, recordType)
    const read = this.#reads.findLast((one) => one.module === module && one.owner === owner)
    check(read !== undefined, `${owner} requested ${recordType} without a task`)
    return read
  }

  /** A response to a request of a read. Returns a function that counts its bytes. */
  addResponse(read: TrackedRead, response: ServedResponse): (bytes: number) => void {
    const received = { response, arrivedBytes: 0 }
    if (response.status < 400) read.responses.push(received)
    return (bytes) => {
      received.arrivedBytes += bytes
    }
  }

  onCommit(owner: string, unit: Unit): void {
    if (unit.name === 'applyWrites') this.#onWrites(unit.batch)
    else if (unit.name === 'startTask') this.#onTaskStarted(owner, unit)
    else if (unit.name === 'finishTask') this.#onTaskFinished(unit)
    else this.#onMissing(unit.batch)
  }

  #onMissing(batch: MissingBatch): void {
    const { pull_id, module_id, records } = batch
    if (this.#view.pullState(pull_id) !== 'running') return
    const read = this.#findRead(pull_id, module_id)
    const references = records.map((record) => record.reference_number)
    this.#checkMissing(read, references)
    this.model.markMissing(read, references, read.requestedAt - this.#graceMs)
  }

  #onWrites({ at, writes }: WriteBatch): void {
    for (const write of writes) {
      if ('read' in write) this.#onPulled(write)
      else if (!('replay' in write)) this.#onPushed(write, Date.parse(at))
    }
  }

  #onPushed(write: PushWrite, at: number): void {
    const delivery = this.deliveries.get(write.request_id)
    check(delivery !== undefined, `The hub stored a push that was not sent: ${write.request_id}`)
    check(delivery.outcome === null, `The hub stored a delivery twice: ${delivery.id}`)
    check(delivery.push.invalid === null, `The hub stored an invalid push: ${delivery.id}`)
    delivery.outcome = this.model.applyPush(delivery.push, at)
  }

  #onPulled({ read: { pull_id, module_id }, reference_number }: PullWrite): void {
    if (this.#view.pullState(pull_id) !== 'running') return
    const read = this.#findRead(pull_id, module_id)
    const element = arrivedElements(read).find((one) => one.reference === reference_number)
    check(
      element !== undefined,
      `Pull ${pull_id} stored ${reference_number}, which it has not received`,
    )
    this.model.applyElement(read, element)
  }

  #onTaskStarted(owner: string, unit: { pull_id: number; task_number: number }): void {
    const { pull_id, task_number } = unit
    const task = this.#view.task(pull_id, task_number)
    if (task.state !== 'running') return
    const module = this.model.moduleOf(task.platform_name, task.record_type)
    const isKnown = this.#reads.some((one) => one.pull_id === pull_id && one.module === module)
    check(!isKnown, `Task ${task_number} of pull ${pull_id} began twice`)
    const started = { pull_id, task_number, module, requestedAt: Date.now() }
    this.#reads.push({ ...this.model.startRead(started), owner, responses: [], ended: null })
  }

  #onTaskFinished(unit: Extract<Unit, { name: 'finishTask' }>): void {
    const { pull_id, task_number, result } = unit
    const task = this.#view.task(pull_id, task_number)
    const read = this.#reads.find(
      (one) => one.pull_id === pull_id && one.task_number === task_number,
    )
    check(read !== undefined, `Task ${task_number} of pull ${pull_id} ended without a start`)
    if (task.state !== result.state || read.ended !== null) return
    read.ended = result.state
    if (result.state !== 'succeeded') return
    check(isComplete(read), `${nameOf(read)} succeeded without a complete response`)
    const references = new Set(arrivedElements(read).map(({ reference }) => reference))
    this.#checkCounts(read, result, references.size)
    this.#checkUnwritten(read)
    this.model.finishRead(read, references)
  }

  /** The counts of a successful task agree with what the platform served and with what was committed. */
  #checkCounts(read: TrackedRead, { counts }: PullTaskResult, references: number): void {
    const tally = { created: 0, updated: 0, unchanged: 0, stale: 0 }
    for (const outcome of read.written.values()) tally[outcome] += 1
    const expected = {
      received: receivedCount(read),
      ...tally,
      unchanged: references - tally.created - tally.updated - tally.stale,
      rejected: receivedCount(read) - references,
      missing: read.marked,
    }
    for (const [name, count] of Object.entries(expected)) {
      const found = new Map(Object.entries(counts)).get(name)
      check(found === count, `${nameOf(read)} counted ${found} ${name}, but it is ${count}`)
    }
  }

  /** A record that a successful read did not write is stored as the platform served it. */
  #checkUnwritten(read: TrackedRead): void {
    const { module, position, written } = read
    for (const { reference, name, data } of arrivedElements(read)) {
      if (written.has(reference)) continue
      const stored = module.records.get(reference)
      check(stored !== undefined, `${nameOf(read)} did not store ${reference}`)
      if (stored.pushPosition > position) continue
      const expected = afterPull(stored, data, module.keys)
      const isSame = stored.name === name && isSameData(stored.data, expected)
      check(
        isSame && !stored.missing && !stored.incomplete,
        `${nameOf(read)} counted ${reference} as unchanged, but it has changed`,
      )
    }
  }

  #checkMissing(read: TrackedRead, references: string[]): void {
    check(isProof(read), `${nameOf(read)} marked records as missing, but it proves nothing`)
    const served = new Set(arrivedElements(read).map(({ reference }) => reference))
    const contained = references.filter((reference) => served.has(reference))
    check(contained.length === 0, `${nameOf(read)} marked records that it contained: ${contained}`)
    const present = [...read.module.records.values()].filter((record) => !record.missing).length
    const isAboveThreshold =
      references.length >= THRESHOLD.records &&
      references.length * 100 > THRESHOLD.percent * present
    check(!isAboveThreshold, `${nameOf(read)} marked records above the threshold without a review`)
    if (read.responses.length === 1) return
    for (const reference of references) {
      check(
        this.#wasAbsentBefore(read, reference),
        `${nameOf(read)} of several pages marked ${reference}, which the read before it contained`,
      )
    }
  }

  /** Whether the read before this one also proves that a record is absent. */
  #wasAbsentBefore(read: TrackedRead, reference: string): boolean {
    const before = this.#reads.slice(0, this.#reads.indexOf(read)).reverse()
    for (const one of before) {
      if (one.module !== read.module || isNotModified(one)) continue
      const isAbsent = !arrivedElements(one).some((element) => element.reference === reference)
      if (isProof(one) && one.responses.length > 1 && isAbsent) return true
      // A read that was interrupted may not have changed what the hub remembers.
      if (one.ended !== null && one.ended !== 'interrupted') return false
    }
    return false
  }

  #findRead(pullId: number, moduleId: number): TrackedRead {
    const { platform_name, record_type } = this.#view.module(moduleId)
    const module = this.model.moduleOf(platform_name, record_type)
    const read = this.#reads.find((one) => one.pull_id === pullId && one.module === module)
    check(read !== undefined, `Pull ${pullId} wrote to ${record_type} without a task`)
    return read
  }
}

function nameOf({ pull_id, module }: ModelRead): string {
  return `The read of ${module.platform}/${module.record_type} by pull ${pull_id}`
}

function isNotModified({ responses }: TrackedRead): boolean {
  return responses.some(({ response }) => response.isNotModified)
}

/** The elements that have arrived completely, without those that repeat a reference number. */
function arrivedElements({ responses }: TrackedRead): ServedElement[] {
  const elements = new Map<string, ServedElement>()
  for (const { response, arrivedBytes } of responses) {
    for (const element of response.elements) {
      const hasArrived = response.isNotModified || element.end <= arrivedBytes
      if (hasArrived && !elements.has(element.reference)) elements.set(element.reference, element)
    }
  }
  return [...elements.values()]
}

function receivedCount({ responses }: TrackedRead): number {
  return responses.reduce(
    (sum, { response: { elements, repeated, nameless } }) =>
      sum + elements.length + repeated + nameless,
    0,
  )
}

/** Whether everything has arrived that the platform has. */
function isComplete({ responses }: TrackedRead): boolean {
  const last = responses.at(-1)
  return (
    last !== undefined &&
    !last.response.hasNext &&
    responses.every(
      ({ response, arrivedBytes }) =>
        response.end === 'complete' && arrivedBytes === response.body.length,
    )
  )
}

/** Whether a read proves that records that it does not contain are missing. */
function isProof(read: TrackedRead): boolean {
  const total = read.responses.at(-1)?.response.total ?? null
  const nameless = read.responses.some(({ response }) => response.nameless > 0)
  const isTotal = total === null || total === receivedCount(read)
  return isComplete(read) && !isNotModified(read) && !nameless && isTotal
}
