/** Whether somebody is at the page: what it asks for by itself must not keep a session alive. */

/** Somebody who reads does not move for a while. */
const ATTENDED_MS = 60_000
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let lastSign = Date.now()

/** Begins to watch for signs of somebody. */
export function watchAttendance(page: Pick<EventTarget, 'addEventListener'>): void {
  for (const sign of SIGNS) {
    page.addEventListener(sign, noteSign, { passive: true, capture: true })
  }
}

function noteSign(): void {
  lastSign = Date.now()
}

export function isUnattended(now = Date.now()): boolean {
  return now - lastSign > ATTENDED_MS
}
