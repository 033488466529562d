import type { Dispatcher } from 'undici'

/** A header of an answer; several of one name as one list, "" for none. */
export function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}
