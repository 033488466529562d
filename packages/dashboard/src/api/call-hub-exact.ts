import { isPlainObject, parseExact } from '../lib/exact-json.ts'
import { type HubCall, HubCallError, openHub } from './call-hub.ts'

/**
 * As `callHub`, for responses with values of platforms: their numbers keep their digits (`ExactNumber`). In a file
 * of its own, since pages without records need not load the lossless JSON.
 * @throws HubCallError
 */
export async function callHubExact<Body>(path: string, call: HubCall = {}): Promise<Body> {
  const response = await openHub(path, call)
  const body = parseExact(await response.text())
  if (isBody<Body>(body)) return body
  throw new HubCallError(response.status, null)
}

/** Every response is an object; its members are what the hub's schemas say. */
function isBody<Body>(value: unknown): value is Body {
  return isPlainObject(value)
}
