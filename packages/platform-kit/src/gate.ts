/**
 * Lets so many in at once as long as the hub takes what it is sent, and one at a time, with waits in
 * between, from when it does not: a hub that comes back is not met by everything that waited for it.
 */
export type Gate = {
  /**
   * Waits for one's turn, in the order of the calls.
   * @param endsAt until when, by `performance.now()`; null for as long as it takes.
   * @returns false where it did not come in time, or the gate was closed.
   */
  enter: (endsAt: number | null) => Promise<boolean>
  /** The hub has taken or refused what was sent: whoever is in leaves, and all goes on. */
  leaveWell: () => void
  /** Whoever is in leaves, and nobody enters for a time that `waitFor` gives for so many failures in a row. */
  leaveIll: (waitFor: (failures: number) => number) => void
  /** Waits, unless the gate is closed meanwhile. */
  rest: (ms: number) => Promise<void>
  /** Nobody enters any more. */
  close: () => void
}

export function createGate(width: number): Gate {
  const waiting = new Set<(isIn: boolean) => void>()
  const resting = new Set<() => void>()
  let inside = 0
  let failures = 0
  let isClosed = false
  let shut: ReturnType<typeof setTimeout> | null = null

  function letIn(): void {
    const most = failures === 0 ? width : 1
    for (const enter of waiting) {
      if (shut !== null || inside >= most) return
      inside += 1
      enter(true)
    }
  }

  function open(): void {
    shut = null
    letIn()
  }

  return {
    enter: (endsAt) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false)
        let timer: ReturnType<typeof setTimeout> | null = null
        const enter = (isIn: boolean) => {
          if (timer !== null) clearTimeout(timer)
          waiting.delete(enter)
          resolve(isIn)
        }
        waiting.add(enter)
        if (endsAt !== null) timer = setTimeout(enter, endsAt - performance.now(), false)
        letIn()
      }),
    leaveWell() {
      inside -= 1
      // What was sent before does not shorten a wait that the hub has asked for since.
      failures = 0
      letIn()
    },
    leaveIll(waitFor) {
      inside -= 1
      // Those that were under way together fail together, which counts once.
      if (shut !== null || isClosed) return
      failures += 1
      shut = setTimeout(open, waitFor(failures))
    },
    rest: (ms) =>
      new Promise((resolve) => {
        if (isClosed) return resolve()
        const end = () => {
          clearTimeout(timer)
          resting.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        resting.add(end)
      }),
    close() {
      isClosed = true
      if (shut !== null) clearTimeout(shut)
      for (const enter of waiting) enter(false)
      for (const end of resting) end()
    },
  }
}
