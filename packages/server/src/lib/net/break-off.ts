import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * Ends a response that cannot be completed, so that no client and no proxy takes it for complete. The connection is reset: the
 * end of the connection alone is the end of a response of HTTP/1.0, which many proxies request.
 */
export function breakOff(response: ServerResponse): void {
  const { socket } = response
  if (socket instanceof Socket) socket.resetAndDestroy()
  else response.destroy()
}
