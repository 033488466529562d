import type { Dispatcher } from 'undici'

/** The value of a response header; several headers of one name as a list, "" for none. */
export function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}
