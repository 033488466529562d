/** The number of requests in progress, and the bytes that they hold in memory. */
type Occupied = { requests: number; bytes: number }

/** An admitted request. */
export type Admitted = {
  /** Adds bytes that the request holds. Returns false, and adds none, if they exceed a limit or the request has ended. */
  add: (bytes: number) => boolean
  /** Ends the request. Further calls have no effect. */
  release: () => void
}

/**
 * Limits concurrent requests by their number and by their bytes, in this process. An owner, such as a platform, can
 * occupy a quarter of both, so that one owner does not cause the rejection of others.
 */
export type Admission = {
  readonly occupied: Readonly<Occupied>
  readonly limit: Readonly<Occupied>
  /** Returns null if a limit is reached. */
  admit: (owner: string) => Admitted | null
}

const SHARES = 4

export function createAdmission(limit: Occupied): Admission {
  const share: Occupied = { requests: limit.requests / SHARES, bytes: limit.bytes / SHARES }
  const occupied: Occupied = { requests: 0, bytes: 0 }
  const owners = new Map<string, Occupied>()

  return {
    occupied,
    limit,
    admit(owner) {
      const own = owners.get(owner) ?? { requests: 0, bytes: 0 }
      if (occupied.requests >= limit.requests || own.requests >= share.requests) return null
      owners.set(owner, own)
      own.requests += 1
      occupied.requests += 1
      let held = 0
      let isReleased = false
      return {
        add(bytes) {
          if (isReleased) return false
          // The only request of an owner may be larger than the share.
          const exceedsShare = own.requests > 1 && own.bytes + bytes > share.bytes
          if (exceedsShare || occupied.bytes + bytes > limit.bytes) return false
          held += bytes
          own.bytes += bytes
          occupied.bytes += bytes
          return true
        },
        release() {
          if (isReleased) return
          isReleased = true
          own.requests -= 1
          own.bytes -= held
          occupied.requests -= 1
          occupied.bytes -= held
          if (own.requests === 0) owners.delete(owner)
        },
      }
    },
  }
}

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
