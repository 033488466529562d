/**
 * What operators do in a simulation, with the functions of the hub that the routes call. To add an action, add a method
 * and a row of `#actions`. If it changes what the hub must store, add its unit of work to `commit-observer.ts` and its
 * rule to `operator-commits.ts`.
 */
import { hash } from 'node:crypto'
import { HubError } from '../../src/errors.ts'
import { replayRejectedPush } from '../../src/features/ingest/replay-rejected-push.ts'
import { removePlatform } from '../../src/features/maintenance/remove-platform.ts'
import { changePlatform } from '../../src/features/platforms/change-platform.ts'
import { rotateHubKey } from '../../src/features/platforms/hub-key.ts'
import { refreshManifest } from '../../src/features/platforms/refresh-manifest.ts'
import { cancelPull } from '../../src/features/pulls/request-pull.ts'
import { deleteTombstone, eraseRecord } from '../../src/features/records/erase-record.ts'
import { changeLog } from '../helpers/storage/fixtures.ts'
import { chooseRevert } from './choose-revert.ts'
import type { CommitChecker } from './commit-checker.ts'
import type { DatabaseView, Row } from './database-view.ts'
import type { RunningHub } from './hub.ts'
import type { HubProcess } from './hub-process.ts'
import type { SentPush, SimulatedPlatform } from './platform.ts'
import type { ModelPlatform } from './registry.ts'
import type { Choices, Scheduler } from './scheduler.ts'
import { registerSimulated } from './template.ts'
import { check } from './violation.ts'

export type OperatorDeps = {
  scheduler: Scheduler
  choices: Choices
  /** Separate choices, so that reverts change the other actions as little as possible. */
  revertChoices: Choices
  checker: CommitChecker
  view: DatabaseView
  platforms: SimulatedPlatform[]
  /** A process that accepts connections; null if there is none. */
  findListening: () => HubProcess | null
  trace: (label: string) => void
  onFailure: (error: unknown) => void
}

type Work = (hub: RunningHub) => Promise<void>

const REQUESTER = { actor: 'simulation', address: null }

export class Operator {
  readonly #deps: OperatorDeps
  readonly #actions: readonly { weight: number; act: () => Work | null }[]
  /** The processes of the actions that are in progress. */
  readonly #busy = new Set<{ process: HubProcess }>()
  #requests = 0
  #registrations = 1

  constructor(deps: OperatorDeps) {
    this.#deps = deps
    this.#actions = [
      { weight: 3, act: () => this.#cancelPull() },
      { weight: 2, act: () => this.#changeStatus() },
      { weight: 2, act: () => this.#changeModules() },
      { weight: 2, act: () => this.#rotateKey() },
      { weight: 1, act: () => this.#removePlatform() },
      { weight: 2, act: () => this.#changeManifest() },
      { weight: 3, act: () => this.#erase() },
      { weight: 1, act: () => this.#deleteTombstone() },
      { weight: 6, act: () => this.#replay() },
      { weight: 3, act: () => this.#decideReview() },
    ]
  }

  /** One action, if there is something to act on. */
  act(): void {
    const { choices } = this.#deps
    const weights = this.#actions.flatMap(({ weight, act }) => Array(weight).fill(act))
    const work = choices.pick<() => Work | null>(weights)()
    if (work) void this.#run(work)
  }

  /** Plans and starts a revert, cancels one, or lifts holds. */
  revert(): void {
    const { revertChoices: choices, view, trace } = this.#deps
    const work = chooseRevert({ choices, view, trace })
    if (work) void this.#run(work)
  }

  /** Whether every action has ended, or its process was killed. */
  get isIdle(): boolean {
    return [...this.#busy].every(({ process }) => !process.isAlive)
  }

  /** Restores what the simulation expects in the end: every platform is registered and active, with all modules. */
  async restore(): Promise<void> {
    const { platforms, checker } = this.#deps
    const { registry } = checker.model
    for (const platform of platforms) {
      const name = platform.name
      if (!registry.platformNamed(name)) await this.#run((hub) => this.#register(hub, platform))
      const current = registry.platformNamed(name)
      if (!current) continue
      const { platform_id } = current
      await this.#run((hub) => this.#setStatus(hub, platform_id, 'active'))
      await this.#run((hub) => this.#setModules(hub, platform_id, current.modules))
      await this.#run((hub) => this.#rotate(hub, platform, platform_id, 0))
      await this.#run((hub) => this.#refreshManifest(hub, platform_id))
    }
    for (const [recordId, { module, reference }] of checker.operators.erasures) {
      if (!registry.isErased(module, reference) || module.platform.isRemoved) continue
      await this.#run((hub) => this.#eraseRecord(hub, recordId))
    }
  }

  /** Runs work in a process. An error that the hub tells an operator is not a failure. */
  async #run(work: Work): Promise<void> {
    const process = this.#deps.findListening()
    if (!process) return
    const action = { process }
    this.#busy.add(action)
    await process.run(async () => {
      try {
        if (process.hub) await work(process.hub)
      } catch (error) {
        if (process.isAlive && !(error instanceof HubError)) this.#deps.onFailure(error)
      }
    })
    this.#busy.delete(action)
  }

  #later(low: number, high: number, work: Work): void {
    const { scheduler, choices } = this.#deps
    scheduler.after(choices.between(low, high), null, () => void this.#run(work))
  }

  #pickPlatform(): { platform: SimulatedPlatform; registered: ModelPlatform | null } {
    const platform = this.#deps.choices.pick(this.#deps.platforms)
    return { platform, registered: this.#deps.checker.model.registry.platformNamed(platform.name) }
  }

  #pickRow(sql: string): Row | null {
    const rows = this.#deps.view.query(`${sql} ORDER BY 1`)
    return rows.length === 0 ? null : this.#deps.choices.pick(rows)
  }

  #cancelPull(): Work | null {
    const { view, trace } = this.#deps
    const row = this.#pickRow("SELECT pull_id FROM pulls WHERE state IN ('queued', 'running')")
    if (!row) return null
    const id = Number(row['pull_id'])
    return async ({ storage }) => {
      trace(`an operator cancels pull ${id}`)
      const runner = { cancel: () => undefined }
      await cancelPull({ ...storage, runner }, id, REQUESTER.actor)
      const state = view.pullState(id)
      check(state === 'cancelled', `Pull ${id} was cancelled, but is ${state}`)
    }
  }

  #changeStatus(): Work | null {
    const { registered } = this.#pickPlatform()
    if (!registered?.isActive) return null
    const { platform_id } = registered
    this.#later(300, 4000, (hub) => this.#setStatus(hub, platform_id, 'active'))
    return (hub) => this.#setStatus(hub, platform_id, 'inactive')
  }

  async #setStatus(
    { storage, deps }: RunningHub,
    platform_id: number,
    status: 'active' | 'inactive',
  ): Promise<void> {
    this.#deps.trace(`an operator sets platform ${platform_id} ${status}`)
    await changePlatform({ ...storage, ...deps }, { platform_id, status }, REQUESTER)
  }

  #changeModules(): Work | null {
    const { registered } = this.#pickPlatform()
    if (!registered) return null
    const { platform_id, modules } = registered
    const kept = modules.filter(() => this.#deps.choices.chance(0.4))
    this.#later(300, 4000, (hub) => this.#setModules(hub, platform_id, modules))
    return (hub) => this.#setModules(hub, platform_id, kept)
  }

  async #setModules(
    { storage, deps }: RunningHub,
    platform_id: number,
    modules: { record_type: string }[],
  ): Promise<void> {
    const record_types = modules.map(({ record_type }) => record_type)
    this.#deps.trace(`an operator registers [${record_types}] of platform ${platform_id}`)
    await changePlatform({ ...storage, ...deps }, { platform_id, record_types }, REQUESTER)
  }

  #rotateKey(): Work | null {
    const { platform, registered } = this.#pickPlatform()
    if (!registered) return null
    const graceSeconds = this.#deps.choices.pick([0, 2, 60])
    return (hub) => this.#rotate(hub, platform, registered.platform_id, graceSeconds)
  }

  async #rotate(
    { storage, deps }: RunningHub,
    platform: SimulatedPlatform,
    platform_id: number,
    grace_seconds: number,
  ): Promise<void> {
    this.#deps.trace(`an operator rotates the key of platform ${platform_id}`)
    const request = { platform_id, grace_seconds }
    this.#giveKey(platform, await rotateHubKey({ ...storage, ...deps }, request, REQUESTER))
  }

  /** The platform gets a new key later, unless it has been rotated again by then. */
  #giveKey(platform: SimulatedPlatform, key: string): void {
    const { scheduler, choices, checker } = this.#deps
    scheduler.after(choices.between(1, 1500), `${platform.name} has a new key`, () => {
      const keys = checker.model.registry.platformNamed(platform.name)?.keys
      if (keys?.get(hash('sha256', key, 'base64url')) === null) platform.hubKey = key
    })
  }

  #removePlatform(): Work | null {
    const { platform, registered } = this.#pickPlatform()
    if (!registered) return null
    const { platform_id, name: platform_name } = registered
    this.#later(500, 3000, (hub) => this.#register(hub, platform))
    return async ({ storage, deps, deletionWorker }) => {
      this.#deps.trace(`an operator removes platform ${platform_id}`)
      const removal = { ...storage, ...deps, deletionWorker }
      await removePlatform(removal, { platform_id, platform_name }, REQUESTER)
    }
  }

  async #register({ storage }: RunningHub, platform: SimulatedPlatform): Promise<void> {
    if (this.#deps.checker.model.registry.platformNamed(platform.name)) return
    this.#deps.trace(`an operator registers ${platform.name}`)
    this.#registrations += 1
    const { name, modules } = platform
    const key = await registerSimulated(storage, name, modules, this.#registrations)
    this.#giveKey(platform, key)
  }

  #changeManifest(): Work | null {
    const { platform, registered } = this.#pickPlatform()
    if (!registered) return null
    this.#deps.trace(`${platform.name} changes its manifest`)
    platform.changeKeys()
    return (hub) => this.#refreshManifest(hub, registered.platform_id)
  }

  async #refreshManifest({ storage, deps }: RunningHub, platformId: number): Promise<void> {
    this.#deps.trace(`an operator refreshes the manifest of platform ${platformId}`)
    await refreshManifest({ ...storage, ...deps }, platformId, REQUESTER)
  }

  #erase(): Work | null {
    const { checker } = this.#deps
    const row = this.#pickRow('SELECT record_id, module_id, reference_number FROM records')
    if (!row) return null
    const recordId = Number(row['record_id'])
    const module = checker.model.registry.moduleOf(Number(row['module_id']))
    if (module.platform.isRemoved) return null
    const { record_type, platform } = module
    const reference = String(row['reference_number'])
    return (hub) => {
      const erasure = { module, platform: platform.name, record_type, reference }
      checker.operators.erasures.set(recordId, erasure)
      return this.#eraseRecord(hub, recordId)
    }
  }

  async #eraseRecord({ storage }: RunningHub, record_id: number): Promise<void> {
    this.#deps.trace(`an operator erases record ${record_id}`)
    await eraseRecord(storage, { record_id, mode: 'erase', reason: null }, REQUESTER)
  }

  #deleteTombstone(): Work | null {
    const row = this.#pickRow('SELECT tombstone_id FROM tombstones')
    if (!row) return null
    const id = Number(row['tombstone_id'])
    return async ({ storage }) => {
      this.#deps.trace(`an operator deletes tombstone ${id}`)
      await deleteTombstone(storage, id, REQUESTER)
    }
  }

  /** Replays a rejected push, edited if it has an error that an operator can correct. */
  #replay(): Work | null {
    const { choices, checker, trace } = this.#deps
    const row = this.#pickRow(
      `SELECT rejected_push_id AS id, platform_id, method, body FROM rejected_pushes
       WHERE method <> 'pull' AND (replayed_at IS NULL OR rejected_push_id % 4 = 0)`,
    )
    const platform = row && checker.model.registry.findPlatform(Number(row['platform_id']))
    if (!row || !platform) return null
    const id = Number(row['id'])
    const sent = JSON.parse(String(row['body']))
    const edited = { full_name: 'Edited', ...sent }
    if (sent.record_type === 'unregistered') {
      edited.record_type = choices.pick(platform.modules).record_type
    }
    const isEdited = edited.record_type !== sent.record_type || sent.full_name === undefined
    this.#requests += 1
    const request_id = `replay-${this.#requests}`
    return async ({ storage, deps, ingest }) => {
      trace(`an operator replays the rejected push ${id}${isEdited ? ', edited' : ''}`)
      const push = toPush(request_id, platform, row, isEdited ? edited : sent)
      checker.replays.set(request_id, { push, requestedAt: Date.now() })
      const replay = { id, body: isEdited ? edited : undefined, isDryRun: false, overwrite: false }
      const requester = { ...REQUESTER, request_id }
      await replayRejectedPush({ ...storage, ...deps, ingest }, replay, requester)
    }
  }

  #decideReview(): Work | null {
    const row = this.#pickRow(
      'SELECT missing_review_id FROM missing_reviews WHERE closed_at IS NULL',
    )
    if (!row) return null
    const review_id = Number(row['missing_review_id'])
    const state = this.#deps.choices.pick(['approved', 'approved', 'dismissed'] as const)
    return async ({ storage }) => {
      this.#deps.trace(`an operator decides review ${review_id}: ${state}`)
      const decision = { review_id, state, by: REQUESTER.actor, at: new Date().toISOString() }
      await storage.missing.decideReview(decision, changeLog())
    }
  }
}

function toPush(
  id: string,
  { name }: ModelPlatform,
  { method }: Row,
  body: {
    record_type: string
    reference_number: string
    full_name?: string
    data: Record<string, string | null>
    occurred_at?: string
  },
): SentPush {
  const { record_type, reference_number, full_name = null, data, occurred_at } = body
  return {
    ...{ id, platform: name, record_type, reference_number, full_name, invalid: null },
    method: method === 'POST' ? 'POST' : 'PATCH',
    data: new Map(Object.entries(data)),
    occurredAt: occurred_at === undefined ? null : Date.parse(occurred_at),
  }
}
