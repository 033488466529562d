/** Starts pulls, and shows them before the next snapshot arrives. */
import type { Pull } from '@recordhub/protocol'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { showPull } from '../../api/live.ts'

/** The path of the Pull All form (specification 4.1). */
export const PULL_ALL_PATH = '/dashboard/pull-all-existing-records'

/** The started pull; or the running one, with `isNew: false`. */
type StartedPull = { pull: Pull; isNew: boolean }

/**
 * Starts a pull of all platforms, or another one by `path` and `body`.
 * @throws HubCallError
 */
export async function startPull(path: string = PULL_ALL_PATH, body?: object): Promise<StartedPull> {
  const started = await requestPull(path, body)
  showPull(started.pull)
  return started
}

async function requestPull(path: string, body?: object): Promise<StartedPull> {
  try {
    const request = { method: 'POST', ...(body === undefined ? {} : { body }) } as const
    const { pull } = await callHub<{ pull: Pull }>(path, request)
    return { pull, isNew: true }
  } catch (error) {
    const running =
      error instanceof HubCallError && error.status === 409 ? pullIn(error.body) : null
    if (!running) throw error
    return { pull: running, isNew: false }
  }
}

/** The running pull in a 409 response. */
function pullIn(body: unknown): Pull | null {
  const { pull = null }: { pull?: Pull | null } = Object(body)
  return pull
}
