/** What a check started, and ends in reverse order: the part of a test's context that the test helpers use. */
export type Cleanup = {
  after: (cleanUp: () => unknown) => void
  /** Never aborted. */
  signal: AbortSignal
}

/** Runs `use`, and then everything that it passed to `after`, also if it fails. */
export async function withCleanup<Result>(use: (t: Cleanup) => Promise<Result>): Promise<Result> {
  const cleanUps: (() => unknown)[] = []
  const t: Cleanup = {
    after: (cleanUp) => void cleanUps.push(cleanUp),
    signal: new AbortController().signal,
  }
  try {
    return await use(t)
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp()
  }
}
