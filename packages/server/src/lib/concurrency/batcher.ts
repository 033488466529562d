import { yieldToEventLoop } from './yield-to-event-loop.ts'

/**
 * Gathers single items into groups: while one group is being handled, what arrives waits for the
 * next one, so that many callers share one commit and each gets its own answer.
 */
export class Batcher<Item, Result> {
  readonly #handle: (items: Item[]) => Promise<Settled<Result>[]>
  readonly #maxGroup: number
  readonly #maxWaiting: number
  #waiting: Waiting<Item, Result>[] = []
  #running = false

  constructor(options: {
    /** Answers for each item, in their order. Where it throws, every item of the group fails. */
    handle: (items: Item[]) => Promise<Settled<Result>[]>
    maxGroup: number
    maxWaiting: number
  }) {
    this.#handle = options.handle
    this.#maxGroup = options.maxGroup
    this.#maxWaiting = options.maxWaiting
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#maxWaiting
  }

  /** Resolves with the item's own result once its group has been handled. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#running) return
      this.#running = true
      // After the events of this turn, so that requests that came together go together.
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#maxGroup)
      await this.#settle(group)
      if (this.#waiting.length > 0) await yieldToEventLoop()
    }
    this.#running = false
  }

  async #settle(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#handle(group.map((waiting) => waiting.item))
      for (const [index, waiting] of group.entries()) {
        const settled = results[index]
        if (settled === undefined) waiting.reject(new Error('An item of a group got no answer'))
        else if ('error' in settled) waiting.reject(settled.error)
        else waiting.resolve(settled.value)
      }
    } catch (error) {
      for (const waiting of group) waiting.reject(error)
    }
  }
}

export type Settled<Result> = { value: Result } | { error: unknown }

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}
