import type { UrlState } from '../../../lib/url-state.ts'

/** `off`: nobody wants it; `elsewhere`: an older page is shown; `reading`: it waits while somebody reads. */
export type Follow = 'following' | 'reading' | 'elsewhere' | 'off'

/** So far a page is scrolled before it counts as read, in CSS pixels. */
const READING_AT = 120

/** Whether new lines may come in on top: not under the eyes of somebody who reads. */
export function followOf(state: UrlState, scrolled: number): Follow {
  if (state['cursor'] || state['until']) return 'elsewhere'
  if (state['follow'] === 'off') return 'off'
  return state['line'] || scrolled > READING_AT ? 'reading' : 'following'
}
