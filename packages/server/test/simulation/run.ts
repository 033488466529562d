/** Runs one simulation: a fleet of hubs, platforms and a network, for some minutes of virtual time. */
import { createHash } from 'node:crypto'
import type { PullMode } from '@recordhub/protocol'
import type { Storage } from '../../src/storage/port/storage.ts'
import { CommitChecker } from './commit-checker.ts'
import type { Unit } from './commit-observer.ts'
import type { DatabaseView } from './database-view.ts'
import { Fleet } from './fleet.ts'
import { createStatementObserver, type HubProcess } from './hub-process.ts'
import { checkConverged, checkStored, checkVerified } from './invariants.ts'
import { ReferenceModel } from './model.ts'
import { type Handling, type PlatformRequest, SimulatedConnections } from './network.ts'
import { Operator } from './operator.ts'
import { emptyResponse, RESPONSE_FAULTS, SimulatedPlatform } from './platform.ts'
import { chooseOffer, NO_OFFER, type Offer } from './platform-digest.ts'
import { PushClient } from './push-client.ts'
import { Registry } from './registry.ts'
import { Choices, currentContext, Scheduler } from './scheduler.ts'
import { installStatementHooks } from './statement-hooks.ts'
import { PLATFORMS, type Template } from './template.ts'
import { check } from './violation.ts'
import { installVirtualGlobals } from './virtual-globals.ts'

/** What may go wrong. A smaller simulation leaves some of it out. */
export const INGREDIENTS = [
  'processes',
  'clocks',
  'storage',
  'operators',
  'responses',
  'pushes',
  'pages',
  'reverts',
  'digests',
] as const
export type Ingredient = (typeof INGREDIENTS)[number]

export type SimulationOptions = {
  seed: number
  /** The share of the usual time in which platforms change records and faults occur. */
  length?: number
  without?: readonly Ingredient[]
  /** A defect of the hubs, to test that a simulation finds it. */
  defect?: Defect
}

/** A defect of the hubs. All of its members are optional. */
export type Defect = {
  /** Breaks the storage of each process. */
  breakStorage?: (storage: Storage) => Storage
  /** Statements that break the database. */
  sql?: string
  /** Replaces the options of each process. */
  options?: { missingGraceSeconds?: number; missingThresholdPercent?: number }
  /** What the simulations that look for it leave out. */
  without?: readonly Ingredient[]
}

export type SimulationResult = {
  seed: number
  engine: Template['engine']
  steps: number
  kills: number
  acknowledged: number
  rejected: number
  pulls: number
  /** The number of records that reverts have changed. */
  reverted: number
  /** How often a hub has said that both sides have the same versions, and how often with explained differences. */
  claims: number
  explained: number
  /** A hash of all events in their order. */
  fingerprint: string
  trace: readonly string[]
  /** Null if everything holds. */
  failure: { message: string; step: number; stack: string } | null
}

const PHASES = 3
/** The share of the simulations in which operators also revert. */
const REVERTING = 0.4
/** The share of the simulations in which no platform has versions or digests. */
const PLAIN = 0.35
const MINUTE_MS = 60_000
/** A process that renews its lease normally does so at least once within this time. */
const LEASE_MS = 20_000
/** After the last fault, a pull must have ended within this time. */
const MAX_PULL_MS = 5 * MINUTE_MS

export async function runSimulation(
  template: Template,
  options: SimulationOptions,
): Promise<SimulationResult> {
  const simulation = new Simulation(template, options)
  return simulation.run()
}

class Simulation {
  readonly #template: Template
  readonly #seed: number
  readonly #length: number
  readonly #without: ReadonlySet<Ingredient>
  readonly #defect: Defect
  readonly #trace: string[] = []
  readonly #scheduler: Scheduler
  /** Separate choices, so that leaving out an ingredient changes the others as little as possible. */
  readonly #world: Choices
  readonly #network: Choices
  /** The modes of the pulls that are requested. */
  readonly #modes: Choices
  readonly #platforms: SimulatedPlatform[]
  readonly #graceSeconds: number
  readonly #faultRate: number
  readonly #pageSize: number | null
  #hasFaults = true
  #isOver = false
  #failure: unknown = null
  #pulls = 0

  constructor(template: Template, options: SimulationOptions) {
    const { seed, length = 1, without = [], defect = {} } = options
    this.#defect = defect
    this.#template = template
    this.#seed = seed
    this.#length = length
    this.#without = new Set([...without, ...(defect.without ?? [])])
    this.#scheduler = new Scheduler(new Choices(seed), (label) => this.#record(label))
    this.#world = new Choices(seed + 0x1000_0000)
    this.#network = new Choices(seed + 0x2000_0000)
    this.#modes = new Choices(seed + 0x4800_0000)
    this.#graceSeconds = this.#world.pick([0, 0, 10])
    this.#faultRate = this.#world.pick([0.1, 0.3, 0.6])
    const size = this.#world.pick([null, null, 3, 6])
    this.#pageSize = this.#without.has('pages') ? null : size
    this.#platforms = Object.entries(PLATFORMS).map(
      ([name, modules], index) =>
        new SimulatedPlatform(
          { name, hubKey: template.keyOf(name) },
          [...modules],
          new Choices(seed + 0x3000_0000 + index),
          offerOf(seed, index, this.#without.has('digests')),
        ),
    )
  }

  #record(label: string): void {
    this.#trace.push(`${(this.#scheduler.now / 1000).toFixed(4)} ${label}`)
  }

  async run(): Promise<SimulationResult> {
    const { engine } = this.#template
    const location = await this.#template.create(this.#defect.sql)
    const view = this.#template.openView(location)
    const scheduler = this.#scheduler
    const restoreGlobals = installVirtualGlobals({
      ...{ scheduler, jitter: new Choices(this.#seed + 0x4000_0000) },
      // So that the schedule is due at any time.
      startMs: this.#world.int(MINUTE_MS),
    })
    const checker = new CommitChecker(new ReferenceModel(new Registry()), view, {
      missingGraceSeconds: this.#graceSeconds,
      isOwnerWell: (owner) => fleet.wasWell(owner, LEASE_MS),
      storageTime: () => fleet.storageTime(),
    })
    for (const { name, hubKey } of this.#platforms) checker.operators.register(name, hubKey)
    const onCommit = (process: HubProcess, unit: Unit) => {
      try {
        this.#record(`${process.name} commits ${unit.name}`)
        process.run(() => checker.onCommit(process.name, unit))
      } catch (error) {
        // Not in the code of the hub, which would handle it.
        this.#fail(error)
      }
    }
    const observer = createStatementObserver(onCommit, (sql) => fleet.outage.failureOf(sql))
    const removeHooks = installStatementHooks(observer)
    const hasTwo = this.#world.chance(0.3)
    const size = hasTwo || engine === 'postgres' ? 2 : 1
    const revertChoices = new Choices(this.#seed + 0x8000_0000)
    // A hub on SQLite continues the reverts of any other process, since it is the only one.
    // All of the few simulations on PostgreSQL revert.
    const canRevert = engine === 'postgres' || (revertChoices.chance(REVERTING) && size === 1)
    const withReverts = canRevert && !this.#without.has('reverts')
    const fleet = new Fleet({
      ...{
        scheduler,
        engine,
        location,
        size,
        onCommit,
        choices: new Choices(this.#seed + 0x5000_0000),
      },
      trace: (label) => this.#record(label),
      breakStorage: this.#defect.breakStorage ?? ((storage) => storage),
      without: this.#without,
      onFailure: (error) => this.#fail(error),
      optionsOf: (process) => ({
        connections: new SimulatedConnections(scheduler, this.#network, (request) =>
          this.#sendRequest(checker, request),
        ),
        missingGraceSeconds: this.#graceSeconds,
        missingThresholdPercent: 20,
        withReverts,
        ...this.#defect.options,
        onDefect: (error) => {
          if (process.isAlive && !fleet.outage.explains(error)) this.#fail(error)
        },
      }),
    })
    const clients = this.#platforms.map((platform) => this.#createClient(platform, fleet, checker))
    const operator = this.#createOperator(fleet, { checker, view, revertChoices })
    let failure: SimulationResult['failure'] = null
    try {
      await fleet.start()
      this.#startWorld(fleet, clients, operator)
      if (withReverts) this.#repeat(100, 1200, () => operator.revert())
      const phaseMs = this.#length * this.#world.between(1250, 4500)
      for (let phase = 0; phase < PHASES; phase += 1) {
        await scheduler.runFor(phaseMs)
        this.#throwFailure()
        checkStored(view, checker)
      }
      await this.#quiesce(fleet, { clients, operator, view })
      await this.#pullAndCheck(fleet, view, checker)
    } catch (caught) {
      const error = this.#failure ?? caught
      const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
      failure = { message, step: scheduler.steps, stack }
    } finally {
      await fleet.close()
      removeHooks()
      restoreGlobals()
      view.close()
    }
    return {
      seed: this.#seed,
      engine,
      steps: scheduler.steps,
      kills: fleet.kills,
      acknowledged: clients.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      rejected: clients.reduce((sum, { rejected }) => sum + rejected, 0),
      pulls: this.#pulls,
      reverted: checker.reverts.written,
      ...{ claims: checker.digests.claims, explained: checker.digests.explained },
      fingerprint: createHash('sha256').update(this.#trace.join('\n')).digest('hex').slice(0, 16),
      trace: this.#trace,
      failure,
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure
  }

  #createClient(platform: SimulatedPlatform, fleet: Fleet, checker: CommitChecker): PushClient {
    const choices = new Choices(this.#seed + 0x6000_0000 + this.#platforms.indexOf(platform))
    return new PushClient({
      ...{ scheduler: this.#scheduler, choices, checker },
      findListening: () => (fleet.listening.length === 0 ? null : choices.pick(fleet.listening)),
      hasFaults: () => this.#hasFaults && !this.#without.has('pushes'),
      keyOf: () => platform.hubKey,
      hadOutage: (since) => fleet.outage.wasSince(since),
      isOrdered: choices.chance(0.4),
    })
  }

  #createOperator(
    fleet: Fleet,
    deps: { checker: CommitChecker; view: DatabaseView; revertChoices: Choices },
  ): Operator {
    const choices = new Choices(this.#seed + 0x7000_0000)
    return new Operator({
      ...{ ...deps, scheduler: this.#scheduler, choices, platforms: this.#platforms },
      findListening: () => (fleet.listening.length === 0 ? null : choices.pick(fleet.listening)),
      trace: (label) => this.#record(label),
      onFailure: (error) => this.#fail(error),
    })
  }

  /** Changes of platforms, manual pulls, and faults, until the simulation is over. */
  #startWorld(fleet: Fleet, clients: PushClient[], operator: Operator): void {
    for (const [index, platform] of this.#platforms.entries()) {
      const client = clients[index]
      const pace = this.#world.pick([500, 1500, 4000])
      this.#repeat(0, pace, () => {
        const push = platform.change(Date.now())
        this.#record(
          `${platform.name} changes a record${push ? `: ${push.method} ${push.record_type} ${push.reference_number}` : ''}`,
        )
        if (push) client?.push(push)
      })
    }
    this.#repeat(50, 4500, () =>
      this.#requestPull(fleet, this.#modes.pick(['auto', 'auto', 'auto', 'digest', 'full'])),
    )
    this.#repeat(300, 5000, () => fleet.fault())
    if (!this.#without.has('operators')) this.#repeat(200, 2500, () => operator.act())
    this.#repeat(2000, 30_000, () => {
      this.#record('a platform loses many records')
      this.#world.pick(this.#platforms).loseMany()
    })
    this.#repeat(1000, 15_000, () => {
      this.#record('a platform restores a backup')
      this.#world.pick(this.#platforms).restoreBackup()
    })
  }

  #repeat(low: number, high: number, work: () => void): void {
    this.#scheduler.after(this.#world.between(low, high), null, () => {
      if (this.#isOver) return
      work()
      this.#repeat(low, high, work)
    })
  }

  #requestPull(fleet: Fleet, mode: PullMode): Promise<number | null> {
    const { listening } = fleet
    if (listening.length === 0) return Promise.resolve(null)
    const process = this.#world.pick(listening)
    return process.run(() => this.#requestPullOf(fleet, process, mode))
  }

  async #requestPullOf(fleet: Fleet, process: HubProcess, mode: PullMode): Promise<number | null> {
    try {
      const request = { trigger: 'operator', requested_by: 'simulation', mode } as const
      const requested = await process.hub?.requestPull(request)
      if (requested?.outcome !== 'queued') return null
      this.#pulls += 1
      this.#record(`${process.name} queues pull ${requested.pull.id}`)
      return requested.pull.id
    } catch (error) {
      if (process.isAlive && !fleet.outage.explains(error)) this.#fail(error)
      return null
    }
  }

  /** A request that a hub sends. The result is called when it arrives. */
  #sendRequest(checker: CommitChecker, request: PlatformRequest): () => Handling {
    const platform = this.#platforms.find(({ name }) => name === request.platform)
    check(platform !== undefined, `A request to an unknown platform ${request.platform}`)
    const recordType = /\/records\/([^/]+)(?:\/digest)?$/.exec(request.path)?.[1]
    if (recordType === undefined) return () => this.#serveManifest(platform)
    const read = checker.currentRead(currentContext()?.pullId, request, recordType)
    return () => {
      const isFaulty = this.#hasFaults && !this.#without.has('responses')
      const fault =
        isFaulty && this.#network.chance(this.#faultRate)
          ? this.#network.pick(RESPONSE_FAULTS)
          : null
      if (fault !== null) this.#record(`${platform.name} fails: ${fault}`)
      if (fault === 'refused' || fault === 'reset') return { kind: fault }
      const response = platform.serve(
        { ...request, record_type: recordType },
        fault,
        this.#pageSize,
      )
      return {
        kind: 'respond',
        response,
        delayMs: fault === 'late' ? this.#network.between(5000, 100_000) : this.#delay(),
        chunks: 1 + this.#network.int(5),
        onProgress: checker.addResponse(read, response),
      }
    }
  }

  #serveManifest(platform: SimulatedPlatform): Handling {
    const body = Buffer.from(JSON.stringify(platform.manifest()))
    const response = {
      ...emptyResponse(200, { 'content-type': 'application/json' }),
      ...{ body, sentBytes: body.length },
    }
    return { kind: 'respond', response, delayMs: this.#delay(), chunks: 1, onProgress: () => {} }
  }

  #delay(): number {
    return this.#network.between(1, 400)
  }

  /** Ends all faults, and waits until everything that is in progress has ended. */
  async #quiesce(
    fleet: Fleet,
    { clients, operator, view }: { clients: PushClient[]; operator: Operator; view: DatabaseView },
  ): Promise<void> {
    this.#record('no more changes and faults')
    this.#isOver = true
    this.#hasFaults = false
    fleet.recover()
    for (const platform of this.#platforms) platform.catchUp()
    const until = (what: string, condition: () => boolean) =>
      this.#scheduler.runUntil(what, MAX_PULL_MS, () => this.#failure !== null || condition())
    await until('every hub has restarted', () => fleet.isRecovered)
    await until('every action of an operator has ended', () => operator.isIdle)
    let isRestored = false
    void operator.restore().then(() => {
      isRestored = true
    })
    await until('every platform is registered and active', () => isRestored)
    await until('every push has a response', () => clients.every((client) => client.isIdle))
    await until('no pull is queued or running', () => view.query(UNFINISHED).length === 0)
    await until('no revert is queued or running', () => view.query(REVERTING_NOW).length === 0)
    await until('removed platforms are deleted', () => view.query(REMOVALS).length === 0)
    this.#throwFailure()
    await this.#scheduler.runFor(this.#graceSeconds * 1000 + 1000)
  }

  /**
   * At the end, the hub has what the platforms have. Careful platforms need no read of their whole lists. What the hub says of
   * the others after it has compared digests must be true, also after a full read has found that their versions are wrong.
   */
  async #pullAndCheck(fleet: Fleet, view: DatabaseView, checker: CommitChecker): Promise<void> {
    const { registry } = checker.model
    const isCareful = this.#platforms.every((platform) => platform.isCareful)
    for (const modes of isCareful ? CAREFUL_PULLS : PULLS) {
      const mode = modes[0]
      await this.#pullAll(fleet, view, modes)
      checkStored(view, checker)
      if (mode === 'auto') checkVerified(view, this.#platforms, registry)
      const isChecked = isCareful || modes === PULLS.at(-1)
      if (isChecked && checkConverged(view, this.#platforms, registry, mode)) break
    }
  }

  async #pullAll(fleet: Fleet, view: DatabaseView, modes: readonly PullMode[]): Promise<void> {
    for (const mode of modes) {
      let pull = 0
      await this.#requestUntilQueued(fleet, mode, async (pullId) => {
        const hasEnded = () =>
          this.#failure !== null || !UNFINISHED_STATES.has(view.pullState(pullId))
        await this.#scheduler.runUntil(`pull ${pullId} has ended`, MAX_PULL_MS, hasEnded)
        pull = pullId
      })
      this.#throwFailure()
      const failed = JSON.stringify(view.query(FAILED_TASKS, pull))
      const state = view.pullState(pull)
      check(state === 'succeeded', `A pull without faults ended as ${state}: ${failed}`)
    }
  }

  /** A scheduled pull may be running. It must end. */
  async #requestUntilQueued(
    fleet: Fleet,
    mode: PullMode,
    onQueued: (pullId: number) => Promise<void>,
  ): Promise<void> {
    const end = this.#scheduler.now + MAX_PULL_MS
    for (;;) {
      let requested: number | null | undefined
      void this.#requestPull(fleet, mode).then((id) => {
        requested = id
      })
      await this.#scheduler.runUntil(
        'a response to a request of a pull',
        MINUTE_MS,
        () => requested !== undefined,
      )
      if (typeof requested === 'number') return onQueued(requested)
      check(this.#scheduler.now < end, 'No new pull can start')
      await this.#scheduler.runFor(500)
    }
  }
}

function offerOf(
  seed: number,
  platform: number,
  withoutDigests: boolean,
): { offer: Offer; digestChoices: Choices } {
  const digestChoices = new Choices(seed + 0x3800_0000 + platform)
  const isPlain = withoutDigests || new Choices(seed + 0x3900_0000).chance(PLAIN)
  return { offer: isPlain ? NO_OFFER : chooseOffer(digestChoices), digestChoices }
}

type LastPulls = readonly (readonly [PullMode, ...PullMode[]])[]
/** A module with several pages needs two reads of its list until a record counts as missing. */
const CAREFUL_PULLS: LastPulls = [
  ['auto', 'auto'],
  ['full', 'full'],
]
const PULLS: LastPulls = [['full'], ['auto', 'auto'], ['full']]

const REVERTING_NOW = `SELECT revert_id FROM reverts
  WHERE state IN ('queued', 'running', 'interrupted')`
const REMOVALS = 'SELECT removal_id FROM removals WHERE finished_at IS NULL'
const UNFINISHED_STATES = new Set(['queued', 'running'])
const FAILED_TASKS = `SELECT module_id, state, error FROM pull_tasks
  WHERE pull_id = ? AND state <> 'succeeded'`
const UNFINISHED = "SELECT pull_id FROM pulls WHERE state IN ('queued', 'running')"
