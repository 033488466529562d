/** Applies each commit of the hubs to the reference model, and checks that the hubs were allowed to commit it. */
import type { MissingBatch } from '../../src/storage/port/missing-store.ts'
import type { PullTaskResult } from '../../src/storage/port/pull-store.ts'
import type {
  PullWrite,
  PushWrite,
  ReplayWrite,
  WriteBatch,
} from '../../src/storage/port/record-store.ts'
import type { NewRejectedPush } from '../../src/storage/port/rejected-push-store.ts'
import type { Unit } from './commit-observer.ts'
import type { DatabaseView } from './database-view.ts'
import {
  beginsWholeList,
  DigestChecker,
  type DigestStart,
  isOfBuckets,
  provesAbsence,
} from './digest-checker.ts'
import {
  afterPull,
  isSameData,
  type ModelRead,
  type Outcome,
  type ReferenceModel,
  type ReplayPosition,
} from './model.ts'
import type { PlatformRequest } from './network.ts'
import { OperatorCommits } from './operator-commits.ts'
import type { SentPush, ServedElement, ServedResponse } from './platform.ts'
import { type Arrival, RefusedValues } from './refused-values.ts'
import type { ModelModule, ModelPlatform } from './registry.ts'
import { RevertCommits } from './revert-commits.ts'
import { check } from './violation.ts'

/** A push on its way to a hub. A platform that retries a push sends it in several deliveries. */
export type Delivery = {
  id: string
  push: SentPush
  /** The hash of the key that it is sent with. */
  key_hash: string
  /** When a hub received it: the virtual time and the time of the hub; null if none has. */
  arrived: { at: number; hubTime: number } | null
  /** Null unless it is committed. */
  outcome: Outcome | null
  /** Whether a hold has kept values of it out. */
  isHeld: boolean
  /** Where it stands in the order of writes; null unless it is committed. */
  position: ReplayPosition | null
  /** Whether it is saved as a rejected push. */
  isSaved: boolean
}

/** A rejected push that is saved. */
export type SavedRejection = ReplayPosition & { platform: ModelPlatform; isReplayed: boolean }

/** A response that a read receives, and how much of it has arrived. */
type ReceivedResponse = { response: ServedResponse; arrivedBytes: number }

export type TrackedRead = ModelRead & {
  /** The virtual time at which it began. */
  startedAt: number
  responses: ReceivedResponse[]
  digests: ReceivedResponse[]
  /** What it requested last: a digest, buckets or the whole list; null before its first request. */
  requested: 'digest' | 'buckets' | 'list' | null
  digestStart: DigestStart
  /** The state in which the task was stored; null while it runs, or if its process was killed. */
  ended: PullTaskResult['state'] | null
}

/** The share of a module, and the number of records, that an operator must review before they are marked. */
const THRESHOLD = { percent: 20, records: 10 }

export class CommitChecker {
  readonly model: ReferenceModel
  readonly deliveries = new Map<string, Delivery>()
  /** The pushes that operators replay, by the id of their request. */
  readonly replays = new Map<string, { push: SentPush; requestedAt: number }>()
  readonly rejections = new Map<number, SavedRejection>()
  readonly operators: OperatorCommits
  readonly digests: DigestChecker
  readonly reverts: RevertCommits
  readonly refused = new RefusedValues()
  readonly #view: DatabaseView
  readonly #graceMs: number
  readonly #isOwnerWell: (owner: string) => boolean
  /** In the order in which they began. */
  readonly #reads: TrackedRead[] = []
  /** The process that runs each pull, and the keys of each manifest when it began. */
  readonly #pulls = new Map<
    number,
    { owner: string; keys: Map<ModelModule, readonly string[]>; hasEnded: boolean }
  >()

  /** @param deps `isOwnerWell`: whether a process had no reason to lose the lease of a pull. */
  constructor(
    model: ReferenceModel,
    view: DatabaseView,
    deps: {
      missingGraceSeconds: number
      isOwnerWell: (owner: string) => boolean
      storageTime: () => number
    },
  ) {
    this.model = model
    this.#view = view
    this.#graceMs = deps.missingGraceSeconds * 1000
    this.#isOwnerWell = deps.isOwnerWell
    this.operators = new OperatorCommits(model, view)
    this.digests = new DigestChecker(view, model.registry, deps.storageTime)
    this.reverts = new RevertCommits(model, view, this)
  }

  /** The read for which a pull requests the records of a module. */
  currentRead(
    pullId: number | undefined,
    { host, digits, prefixes }: Pick<PlatformRequest, 'host' | 'digits' | 'prefixes'>,
    recordType: string,
  ): TrackedRead {
    const read = this.#reads.find(
      ({ pull_id, module }) =>
        pull_id === pullId && module.platform.host === host && module.record_type === recordType,
    )
    check(read !== undefined, `Pull ${pullId} requested ${recordType} without a task`)
    const requested = digits !== null ? 'digest' : prefixes !== null ? 'buckets' : 'list'
    // A digest takes time, and a list that replaces the buckets is a read of its own.
    const isNext = read.requested !== null && read.requested !== requested
    if (isNext && requested !== 'digest') read.requestedAt = Date.now()
    read.requested = requested
    return read
  }

  /** A response to a request of a read. Returns a function that counts its bytes. */
  addResponse(read: TrackedRead, response: ServedResponse): (bytes: number) => void {
    const received = { response, arrivedBytes: 0 }
    if (response.digest !== null) read.digests.push(received)
    else if (response.status < 400) {
      if (beginsWholeList(read, response)) {
        read.responses = []
        read.written.clear()
        read.contentAlone = 0
      }
      read.responses.push(received)
    }
    return (bytes) => {
      received.arrivedBytes += bytes
    }
  }

  onCommit(owner: string, unit: Unit): void {
    switch (unit.name) {
      case 'applyWrites':
        this.#onWrites(unit.batch)
        break
      case 'saveRejectedPushes':
        this.#onRejected(unit.rejected, Date.parse(unit.at))
        break
      case 'startPull':
        this.#onPullStarted(owner, unit.pull_id)
        break
      case 'startTask':
        this.#onTaskStarted(unit)
        break
      case 'finishTask':
        this.#onTaskFinished(unit)
        break
      case 'markMissing':
        this.#onMissing(unit.batch)
        break
      case 'interruptPulls':
        this.#onPullsInterrupted()
        break
      case 'saveDigest':
        this.digests.onSaved(this.#findRead(unit.pull_id, unit.module_id), unit.change)
        break
      case 'saveResults':
        this.reverts.onResults(unit)
        break
      case 'finishRevert':
        this.reverts.onFinished(unit.revert_id)
        break
      case 'liftHolds':
        this.reverts.onLifted(unit)
        break
      default:
        this.operators.onCommit(unit)
        break
    }
  }

  #onMissing(batch: MissingBatch): void {
    const { pull_id, module_id, records } = batch
    if (!this.#mayWrite(pull_id, module_id)) return
    const read = this.#findRead(pull_id, module_id)
    const references = records
      .map((record) => record.reference_number)
      .filter((reference) => !this.#isGone(read.module, reference))
    this.#checkMissing(read, references)
    this.model.markMissing(read, references, read.requestedAt - this.#graceMs)
  }

  /** Whether a pull may write to a module now. */
  #mayWrite(pullId: number, moduleId: number): boolean {
    const { isRegistered, platform } = this.model.registry.moduleOf(moduleId)
    const isActive = platform.isActive && !platform.isRemoved
    return this.#view.pullState(pullId) === 'running' && isActive && isRegistered
  }

  #onWrites({ at, writes }: WriteBatch): void {
    for (const write of writes) {
      if ('read' in write) this.#onPulled(write)
      else if ('replay' in write) this.#onReplayed(write, Date.parse(at))
      else if ('revert' in write) {
        const module = this.reverts.onReverted(write, Date.parse(at))
        if (module) this.digests.addPush(module, write.reference_number)
      } else this.#onPushed(write, Date.parse(at))
    }
  }

  #onPushed(write: PushWrite, at: number): void {
    const delivery = this.deliveries.get(write.request_id)
    check(delivery !== undefined, `The hub stored a push that was not sent: ${write.request_id}`)
    const { id, push, key_hash, arrived } = delivery
    check(delivery.outcome === null, `The hub stored a delivery twice: ${id}`)
    check(push.invalid === null, `The hub stored an invalid push: ${id}`)
    const { registry } = this.model
    const platform = registry.platformOfKey(key_hash, at)
    const module = platform && registry.authorize(platform, push)
    if (module === null || typeof module === 'string') return
    const times = [arrived?.hubTime ?? at, at]
    const accepted = withoutFutureTime(push, write.content.occurred_at === null, times)
    this.refused.checkWrite(module, push.reference_number, toArrival(push), () => {
      Object.assign(delivery, this.model.applyPush(module, accepted, at))
    })
    this.digests.addPush(module, push.reference_number)
  }

  /** Whether the running pull is reading a module. */
  #isBeingRead(module: ModelModule): boolean {
    return this.#reads.some(
      ({ pull_id, task_number, ...read }) =>
        read.module === module &&
        this.#view.pullState(pull_id) === 'running' &&
        this.#view.task(pull_id, task_number).state === 'running',
    )
  }

  #onReplayed(write: ReplayWrite, at: number): void {
    const { rejected_push_id } = write.replay
    const replay = this.replays.get(write.request_id)
    check(
      replay !== undefined,
      `The hub stored a replay that was not requested: ${write.request_id}`,
    )
    const { push, requestedAt } = replay
    const saved = this.rejections.get(rejected_push_id)
    if (!saved || saved.isReplayed) return
    const module = this.model.registry.authorize(saved.platform, push)
    if (typeof module === 'string') return
    const isIgnored = 'occurred_at' in write.content && write.content.occurred_at === null
    const accepted = withoutFutureTime(push, isIgnored, [requestedAt, at])
    const now = { isBeingRead: this.#isBeingRead(module), writtenAt: at }
    // An operator who replays a held push wants what it has.
    if (saved.isHeld) this.refused.allowRecord(module, push.reference_number)
    this.refused.checkWrite(module, push.reference_number, toArrival(push), () => {
      saved.isReplayed = this.model.applyReplay(module, accepted, saved, now) !== null
    })
    this.digests.addPush(module, push.reference_number)
  }

  /**
   * Rejected pushes have positions in the order of writes, unless they name an erased record: those of their rejection, or of
   * the write that was held.
   */
  #onRejected(rejected: NewRejectedPush[], at: number): void {
    for (const push of rejected) {
      const position = this.model.advance()
      const { platform_id, method, code, body, request_id } = push
      const platform = this.model.registry.findPlatform(platform_id)
      if (method === 'pull' || platform === null) continue
      const [row] = this.#view.query(
        `SELECT rejected_push_id FROM rejected_pushes
         WHERE platform_id = ? AND method = ? AND code = ? AND body = ?`,
        ...[platform_id, method, code, body],
      )
      const delivery = this.deliveries.get(request_id ?? '')
      check(delivery !== undefined, 'The hub saved a rejected push that was not sent')
      delivery.isSaved = row !== undefined
      if (!row) continue
      const isHeld = code === 'held'
      const written = isHeld ? delivery.position : { position, at }
      check(written !== null, 'The hub saved a push as held that it had not committed')
      const id = Number(row['rejected_push_id'])
      this.rejections.set(id, { platform, ...written, isHeld, isReplayed: false })
    }
  }

  #onPulled({ read: { pull_id, module_id }, reference_number }: PullWrite): void {
    if (!this.#mayWrite(pull_id, module_id)) return
    const read = this.#findRead(pull_id, module_id)
    const element = arrivedElements(read).find((one) => one.reference === reference_number)
    check(
      element !== undefined,
      `Pull ${pull_id} stored ${reference_number}, which it has not received`,
    )
    if (this.model.registry.isErased(read.module, reference_number)) return
    const { name, data } = element
    const arrival = { name, data, removes: (key: string) => read.keys.includes(key) }
    this.refused.checkWrite(read.module, reference_number, arrival, () => {
      this.model.applyElement(read, element)
    })
  }

  /** A pull reads the modules with the manifest as it is stored when the pull begins. */
  #onPullStarted(owner: string, pullId: number): void {
    if (this.#pulls.has(pullId) || this.#view.pullState(pullId) !== 'running') return
    const keys = new Map(this.model.registry.modules.map((module) => [module, module.keys]))
    this.#pulls.set(pullId, { owner, keys, hasEnded: false })
  }

  /** Only the pull of a process that does not renew its lease may be ended by another unit of work. */
  #onPullsInterrupted(): void {
    const [unfinished] = this.#view.query(UNFINISHED)
    check(Number(unfinished?.['n']) <= 1, 'Two pulls are queued or running')
    for (const [pullId, pull] of this.#pulls) {
      if (pull.hasEnded) continue
      const state = this.#view.pullState(pullId)
      if (state === 'running') continue
      pull.hasEnded = true
      const isLost = state === 'interrupted' && this.#isOwnerWell(pull.owner)
      check(!isLost, `Pull ${pullId} was interrupted although its process was renewing its lease`)
    }
  }

  #onTaskStarted(unit: { pull_id: number; task_number: number }): void {
    const { pull_id, task_number } = unit
    const task = this.#view.task(pull_id, task_number)
    if (task.state !== 'running') return
    const module = this.model.registry.moduleOf(task.module_id)
    const isKnown = this.#reads.some((one) => one.pull_id === pull_id && one.module === module)
    check(!isKnown, `Task ${task_number} of pull ${pull_id} began twice`)
    const keys = this.#pulls.get(pull_id)?.keys.get(module) ?? module.keys
    const started = { pull_id, task_number, module, keys, requestedAt: Date.now() }
    this.#reads.push({
      ...this.model.startRead(started),
      ...{ startedAt: performance.now(), responses: [], digests: [] },
      ...{ requested: null, ended: null },
      digestStart: this.digests.startOf(module),
    })
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
    const isOfDigest = result.mode === 'digest'
    check(
      isOfDigest ? isOfBuckets(read) : isComplete(read),
      `${nameOf(read)} succeeded without a complete response`,
    )
    if (result.digest_change) this.digests.onSaved(read, result.digest_change)
    this.digests.onFinished(read, result)
    // What arrived before the hub noticed that the platform ignores the buckets is not counted.
    if (isOfDigest && read.responses.some(({ response }) => !response.isSelected)) return
    this.#checkUnwritten(read)
    const { erasedAt } = read.module
    // A record that was erased during the read may have been counted or not.
    if (erasedAt === null || erasedAt < read.startedAt) {
      this.#checkCounts(read, result)
      const present = [...this.#findStored(read)].filter((reference) => !read.absent.has(reference))
      if (!isOfDigest) this.model.finishRead(read, new Set(present))
    } else if (this.#isLastRead(read)) this.model.setLastRead(read)
    if (read.marked > 0) this.operators.approvals.delete(read.module)
  }

  /** The counts of a successful task agree with what the platform served and with what was committed. */
  #checkCounts(read: TrackedRead, { counts }: PullTaskResult): void {
    const references = arrivedElements(read).length
    // The cached response counts the records that the hub has stored from it.
    const uncounted = isNotModified(read) ? references - this.#findStored(read).size : 0
    const tally = { created: 0, updated: 0, unchanged: 0, stale: 0, held: 0 }
    for (const outcome of read.written.values()) tally[outcome] += 1
    // The hub stores nothing of an erased record, so it does not recognise that an element repeats it.
    const ofErased = read.responses
      .flatMap(({ response }) => response.repeated)
      .filter((reference) => this.#isGone(read.module, reference)).length
    const expected = {
      received: receivedCount(read) - uncounted,
      ...tally,
      unchanged:
        references +
        ofErased -
        uncounted -
        tally.created -
        tally.updated -
        tally.stale -
        tally.held,
      rejected: receivedCount(read) - references - ofErased,
      missing: read.marked,
    }
    for (const [name, count] of Object.entries(expected)) {
      const found = new Map(Object.entries(counts)).get(name)
      check(found === count, `${nameOf(read)} counted ${found} ${name}, but it is ${count}`)
    }
  }

  /** Whether the hub has stored a read as the last one that contained all records of its module. */
  #isLastRead({ module, requestedAt }: TrackedRead): boolean {
    const [row] = this.#view.query(
      'SELECT last_read_requested_at AS at FROM modules WHERE module_id = ?',
      module.module_id,
    )
    return Date.parse(String(row?.['at'])) === requestedAt
  }

  /** The references of the records that a read contained, without those that are erased. */
  #findStored(read: TrackedRead): Set<string> {
    const references = arrivedElements(read).map(({ reference }) => reference)
    return new Set(references.filter((reference) => !this.#isGone(read.module, reference)))
  }

  /** Whether a record is erased completely. */
  #isGone(module: ModelModule, reference: string): boolean {
    return this.model.registry.isErased(module, reference) && !module.records.has(reference)
  }

  /** A record that a successful read did not write is stored as the platform served it. */
  #checkUnwritten(read: TrackedRead): void {
    const { module, keys, position, written } = read
    for (const { reference, name, data } of arrivedElements(read)) {
      if (written.has(reference) || this.model.registry.isErased(module, reference)) continue
      const stored = module.records.get(reference)
      // Its tombstone may have been deleted during the read.
      if (stored === undefined && module.platform.changedAt >= read.startedAt) continue
      check(stored !== undefined, `${nameOf(read)} did not store ${reference}`)
      if (stored.pushPosition > position) continue
      const expected = afterPull(stored, data, keys)
      const isSame = stored.name === name && isSameData(stored.data, expected)
      check(
        isSame && stored.missingSince === null && !stored.incomplete,
        `${nameOf(read)} counted ${reference} as unchanged, but it has changed`,
      )
    }
  }

  #checkMissing(read: TrackedRead, references: string[]): void {
    const isProved = isOfBuckets(read)
      ? references.every((reference) => provesAbsence(read, reference))
      : isProof(read)
    check(isProved, `${nameOf(read)} marked records as missing, but it proves nothing`)
    const served = new Set(arrivedElements(read).map(({ reference }) => reference))
    const contained = references.filter((reference) => served.has(reference))
    check(contained.length === 0, `${nameOf(read)} marked records that it contained: ${contained}`)
    const records = [...read.module.records.values()]
    const present = records.filter(({ missingSince }) => missingSince === null).length
    const unreviewed = references.length - (this.operators.approvals.get(read.module) ?? 0)
    const isAboveThreshold =
      unreviewed >= THRESHOLD.records && unreviewed * 100 > THRESHOLD.percent * present
    check(!isAboveThreshold, `${nameOf(read)} marked records above the threshold without a review`)
    if (read.responses.length === 1 || isOfBuckets(read)) return
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
      // A comparison changes nothing about what the hub remembers.
      if (one.module !== read.module || isNotModified(one) || isOfBuckets(one)) continue
      const isAbsent = !arrivedElements(one).some((element) => element.reference === reference)
      if (isProof(one) && one.responses.length > 1 && isAbsent) return true
      // A read that was interrupted may not have changed what the hub remembers.
      if (one.ended !== null && one.ended !== 'interrupted') return false
    }
    return false
  }

  #findRead(pullId: number, moduleId: number): TrackedRead {
    const module = this.model.registry.moduleOf(moduleId)
    const read = this.#reads.find((one) => one.pull_id === pullId && one.module === module)
    check(read !== undefined, `Pull ${pullId} wrote to ${module.record_type} without a task`)
    return read
  }
}

const UNFINISHED = "SELECT count(*) AS n FROM pulls WHERE state IN ('queued', 'running')"

/** The hub ignores a time of a change that is this far in its future. */
const MAX_FUTURE_MS = 5 * 60_000

/** The push as the hub must apply it. @param times of the hub between which it validated the push. */
function withoutFutureTime(push: SentPush, isIgnored: boolean, times: number[]): SentPush {
  if (push.occurredAt === null) return push
  const latest = push.occurredAt - MAX_FUTURE_MS
  if (isIgnored) {
    check(latest > Math.min(...times), `The hub ignored the time of ${push.id}`)
    return { ...push, occurredAt: null }
  }
  check(latest <= Math.max(...times), `The hub used the time of ${push.id}, which is in its future`)
  return push
}

function nameOf({ pull_id, module }: ModelRead): string {
  return `The read of ${module.platform.name}/${module.record_type} by pull ${pull_id}`
}

function toArrival({ method, full_name, data }: SentPush): Arrival {
  return { name: full_name, data, removes: () => method === 'POST' }
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
      sum + elements.length + repeated.length + nameless,
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
