import type { UrlState } from '../../lib/url-state.ts'

/** `off`: turned off; `older`: an older page is shown; `reading`: paused while the user reads. */
export type Follow = 'following' | 'reading' | 'older' | 'off'

/** From this scroll position on, the user is reading; in CSS pixels. */
const READING_AT = 120

/** Whether new entries are added at the top. They are not while the user reads. */
export function followOf(state: UrlState, scrolled: number): Follow {
  if (state['cursor'] || state['until']) return 'older'
  if (state['follow'] === 'off') return 'off'
  return state['line'] || scrolled > READING_AT ? 'reading' : 'following'
}
