import { yieldToEventLoop } from './yield-to-event-loop.ts'

/**
 * Groups single items into batches, so that many callers share one commit and each gets its own result. Items that
 * arrive while a batch is being handled wait for the next batch. A batch is complete when a turn of the event loop has
 * added no item: a single item does not wait, and requests that arrive one after the other share a batch. The callers
 * limit how many items wait.
 */
export class Batcher<Item, Result> {
  readonly #handle: (items: Item[]) => Promise<ItemResult<Result>[]>
  readonly #maxBatch: number
  readonly #failsWaiting: (error: unknown) => boolean
  #waiting: Waiting<Item, Result>[] = []
  /** The batch that is being handled. */
  #batch: Waiting<Item, Result>[] = []
  #running = false

  constructor(options: {
    /** Returns a result for each item, in their order. If it throws, every item of the batch fails. */
    handle: (items: Item[]) => Promise<ItemResult<Result>[]>
    maxBatch: number
    /** Whether an error that `handle` throws also fails the items that wait, because the next batch would fail as slowly. */
    failsWaiting?: (error: unknown) => boolean
  }) {
    this.#handle = options.handle
    this.#maxBatch = options.maxBatch
    this.#failsWaiting = options.failsWaiting ?? (() => false)
  }

  /** The items that wait, and those of the batch that is being handled. */
  listPending(): Item[] {
    return [...this.#batch, ...this.#waiting].map(({ item }) => item)
  }

  /** Resolves with the result of the item when its batch has been handled. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#running) return
      this.#running = true
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#waitForMore()
      this.#batch = this.#waiting.splice(0, this.#maxBatch)
      await this.#handleBatch(this.#batch)
      this.#batch = []
    }
    this.#running = false
  }

  async #waitForMore(): Promise<void> {
    let before: number
    do {
      before = this.#waiting.length
      await yieldToEventLoop()
    } while (this.#waiting.length > before && this.#waiting.length < this.#maxBatch)
  }

  async #handleBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#handle(batch.map((waiting) => waiting.item))
      for (const [index, waiting] of batch.entries()) {
        const result = results[index]
        if (result === undefined) waiting.reject(new Error('An item of a batch has no result'))
        else if ('error' in result) waiting.reject(result.error)
        else waiting.resolve(result.value)
      }
    } catch (error) {
      const failed = this.#failsWaiting(error) ? [...batch, ...this.#waiting.splice(0)] : batch
      for (const waiting of failed) waiting.reject(error)
    }
  }
}

type ItemResult<Result> = { value: Result } | { error: unknown }

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}
