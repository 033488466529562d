/**
 * The queue that the hubs of several processes share, in place of pg-boss: it delivers late, delivers twice, and keeps
 * what no process accepts.
 */
import { runPeriodically } from '../../src/lib/time/run-periodically.ts'
import type { PullDispatcher, PullStore } from '../../src/storage/port/pull-store.ts'
import type { HubProcess } from './hub-process.ts'
import { type Choices, runInContext, type Scheduler } from './scheduler.ts'

const CLEANUP_MS = 5000

type RunPull = Parameters<PullDispatcher['start']>[0]

export class SharedQueue {
  readonly #scheduler: Scheduler
  readonly #choices: Choices
  readonly #workers = new Map<HubProcess, RunPull>()

  constructor(scheduler: Scheduler, choices: Choices) {
    this.#scheduler = scheduler
    this.#choices = choices
  }

  dispatcherOf(process: HubProcess, pulls: PullStore): PullDispatcher {
    const stopping = new AbortController()
    const interrupt = async () => void (await pulls.interruptAbandonedPulls().catch(() => 0))
    return {
      start: async (runPull) => {
        await interrupt()
        void runPeriodically(CLEANUP_MS, stopping.signal, interrupt)
        this.#workers.set(process, runPull)
      },
      dispatch: async (pullId) => runInContext(null, () => this.#deliverLater(pullId)),
      stop: async () => {
        stopping.abort()
        this.#workers.delete(process)
      },
    }
  }

  #deliverLater(pullId: number): void {
    const label = `the queue delivers pull ${pullId}`
    this.#scheduler.after(this.#choices.between(1, 1500), label, () => {
      const worker = this.#findWorker()
      if (!worker) return this.#deliverLater(pullId)
      const [process, runPull] = worker
      process.run(() => void runPull(pullId))
      if (this.#choices.chance(0.1)) this.#deliverLater(pullId)
    })
  }

  #findWorker(): [HubProcess, RunPull] | null {
    const alive = [...this.#workers].filter(([process]) => process.isAlive)
    return alive.length === 0 ? null : this.#choices.pick(alive)
  }
}
