/** Detects whether the user is idle: background requests of an idle page must not extend the session. */

/** A user may read a page for a while without any input. */
const IDLE_AFTER_MS = 60_000
const INPUT_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let lastInputAt = Date.now()

/** Starts to watch for user input. */
export function watchUserInput(page: Pick<EventTarget, 'addEventListener'>): void {
  for (const type of INPUT_EVENTS) {
    page.addEventListener(type, recordInput, { passive: true, capture: true })
  }
}

function recordInput(): void {
  lastInputAt = Date.now()
}

export function isIdle(now = Date.now()): boolean {
  return now - lastInputAt > IDLE_AFTER_MS
}
