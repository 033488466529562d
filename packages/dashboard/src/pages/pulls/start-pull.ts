/** Starting a pull over everything, and knowing of it before the next snapshot does. */
import type { Pull } from '@recordhub/protocol'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { createStore } from '../../lib/store.ts'

/** The specification's address for the Pull All form (4.1). */
export const PULL_ALL_PATH = '/dashboard/pull-all-existing-records'

/** The pull that this page has started last, or was told of when it tried to. */
export const startedPull = createStore<Pull | null>(null)

/**
 * Asks for a pull. That one is running already is no failure: it is the one to follow.
 * @throws HubCallError
 */
export async function startPull(): Promise<void> {
  try {
    const { pull } = await callHub<{ pull: Pull }>(PULL_ALL_PATH, { method: 'POST' })
    startedPull.set(pull)
  } catch (error) {
    const running =
      error instanceof HubCallError && error.status === 409 ? pullIn(error.body) : null
    if (!running) throw error
    startedPull.set(running)
  }
}

function pullIn(body: unknown): Pull | null {
  const { pull = null }: { pull?: Pull | null } = Object(body)
  return pull
}
