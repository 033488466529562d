import { createAdmission } from './admission.ts'

/** Runs an action, or returns null if too many actions wait already. */
export type Lane = <Result>(owner: string, action: () => Promise<Result>) => Promise<Result> | null

/**
 * Creates a lane that runs at most `concurrent` actions at once. Others wait in their order, at most `places` including
 * those that run. One owner can have a quarter of the places.
 */
export function createLane({ concurrent, places }: { concurrent: number; places: number }): Lane {
  const admission = createAdmission({ requests: places, bytes: 0 })
  const waiting: (() => void)[] = []
  let running = 0

  async function run<Result>(action: () => Promise<Result>): Promise<Result> {
    if (running >= concurrent) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await action()
    } finally {
      // The next action takes the place of this one.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return (owner, action) => {
    const admitted = admission.admit(owner)
    return admitted && run(action).finally(admitted.release)
  }
}
