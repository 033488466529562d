/**
 * Reports progress immediately, then at most once per interval. Every change is reported within an interval, even if no
 * further change follows.
 */
export class ProgressReporter {
  readonly #report: () => Promise<void>
  readonly #intervalMs: number
  #timer: NodeJS.Timeout | null = null
  #hasChanged = false
  #reporting: Promise<void> = Promise.resolve()

  /** @param report sends the current state. A failure is ignored: the next report contains the state, too. */
  constructor(report: () => Promise<void>, intervalMs: number) {
    this.#report = report
    this.#intervalMs = intervalMs
  }

  /** Must be called after each change of the state. */
  changed(): void {
    this.#hasChanged = true
    if (this.#timer === null) this.#send()
  }

  /** Stops reporting. Resolves when no report is being sent any more. */
  async stop(): Promise<void> {
    this.#hasChanged = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#reporting
  }

  #send(): void {
    this.#timer = null
    if (!this.#hasChanged) return
    this.#hasChanged = false
    this.#reporting = this.#report().catch(() => undefined)
    this.#timer = setTimeout(() => this.#send(), this.#intervalMs)
  }
}
