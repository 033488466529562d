import { isPlainObject, parseLossless } from '../lib/lossless-json.ts'
import { type HubCall, HubCallError, openHub } from './call-hub.ts'

/**
 * Like `callHub`, for responses with values of platforms: their numbers keep their digits (`LosslessNumber`). This is a
 * separate module, so that pages without records do not load the lossless JSON parser.
 * @throws HubCallError
 */
export async function callHubLossless<Body>(path: string, call: HubCall = {}): Promise<Body> {
  const response = await openHub(path, call)
  const body = parseLossless(await response.text())
  if (isBody<Body>(body)) return body
  throw new HubCallError(response.status, null)
}

/** Every response is an object. Its members follow the hub's schemas. */
function isBody<Body>(value: unknown): value is Body {
  return isPlainObject(value)
}
