import { HubCallError } from '../api/call-hub.ts'

/**
 * Fetches a part of the page that is not there yet. What fails while the hub answers fails as it is: after an
 * upgrade the router then loads the page anew.
 * @throws HubCallError where the hub cannot be reached, in the words of any other call.
 */
export async function loadPage<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if (await isHubThere()) throw error
    throw new HubCallError(0, null)
  }
}

/** Whether the hub answers, whatever it says. */
export function isHubThere(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
