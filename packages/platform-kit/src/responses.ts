/** The JSON responses of the handler. */

export function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(body), {
    ...init,
    headers: { 'Content-Type': 'application/json', ...init.headers },
  })
}

export function fail(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return json({ success: false, message }, { status, headers })
}
