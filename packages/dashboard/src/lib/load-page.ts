import { HubCallError } from '../api/call-hub.ts'

/**
 * Loads a code chunk. If the hub responds, an error is rethrown as it is: after an upgrade, the router then reloads the
 * page. @throws HubCallError if the hub cannot be reached.
 */
export async function loadPage<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if (await isHubReachable()) throw error
    throw new HubCallError(0, null)
  }
}

/** Whether the hub responds, with any status. */
export function isHubReachable(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
