/** Troubles that a check makes on purpose, one after the other, to see what a platform does about them. */
import { MAX_PUSH_BACKOFF_SECONDS } from '@recordhub/protocol/push-retry'

export type Trouble = 'unavailable' | 'dropped' | 'unauthorized' | 'refused'

/** What becomes of a push: it is taken as the hub takes it, or meets a trouble. */
export type Reception = { trouble: null } | { trouble: Trouble; retryAfterSeconds: number }

export type TroubleLimits = {
  retryAfterSeconds: number
  /** How long a push is rejected with 401, and how long after a 422 it must not come again. */
  quietMs: number
}

export type TroubleNews =
  | { what: 'met'; trouble: Trouble }
  | { what: 'too_early' }
  | { what: 'storm'; trouble: Trouble; count: number }
  | { what: 'overtaken' }

/** Named so that pushes of one record are known, and the same push is known again. */
export type PushName = { push: string; record: string; isDated: boolean }

/** A 401 last, since its push is rejected for the whole quiet time. */
const ORDER: readonly Trouble[] = ['unavailable', 'dropped', 'refused', 'unauthorized']
/** So that whoever has little to push shows that first. */
const TAKEN_FIRST = 2
/** A backoff that begins with half a second sends a push this often within the quiet time; a loop sends it more often. */
export const MAX_TRIES_WITH_BACKOFF = 6
/** A push that was rejected for good may be sent again by a user who saves twice, but not by a retry. */
const MAX_TRIES_OF_REJECTED = 3
/** A push whose last try is longer ago will not be sent again. */
const MAX_PAUSE_MS = MAX_PUSH_BACKOFF_SECONDS * 1500

type Pending = PushName & {
  trouble: Trouble
  since: number
  lastTriedAt: number
  tries: number
  isStorm: boolean
}

/**
 * Decides which push meets which trouble. A push that is new meets the next one, unless one is under way still;
 * everything else is taken.
 */
export class PushTroubles {
  readonly #limits: TroubleLimits
  readonly #left = [...ORDER]
  readonly #known = new Set<string>()
  readonly #refused = new Set<string>()
  #pending: Pending | null = null
  #taken = 0
  #refusedLater = 0

  constructor(limits: TroubleLimits) {
    this.#limits = limits
  }

  /** The trouble whose push should have been sent again by now; null if there is none. */
  lost(now: number): Trouble | null {
    const pending = this.#pending
    if (!pending || pending.trouble === 'refused') return null
    // The platform may be in a long pause of its backoff.
    if (pending.trouble === 'unauthorized' && now - pending.lastTriedAt < MAX_PAUSE_MS) return null
    return pending.trouble
  }

  /** @param now in milliseconds, by a clock that does not jump. */
  receive(name: PushName, now: number): { reception: Reception; news: TroubleNews[] } {
    const news = this.look(now)
    if (this.#refused.has(name.push)) return this.#again(name, now, news)
    if (this.#pending?.push === name.push) return this.#again(name, now, news)
    if (this.#pending && isOvertaking(this.#pending, name)) news.push({ what: 'overtaken' })
    const isNew = !this.#known.has(name.push)
    this.#known.add(name.push)
    if (isNew && !this.#pending && this.#taken >= TAKEN_FIRST) {
      const trouble = this.#left.shift()
      if (trouble) {
        this.#pending = { ...name, trouble, since: now, lastTriedAt: now, tries: 1, isStorm: false }
        if (trouble === 'refused') this.#refused.add(name.push)
        return { reception: this.#make(trouble), news }
      }
    }
    this.#taken += 1
    return { reception: { trouble: null }, news }
  }

  /** To be called now and then: that a rejected push does not come again is no event. */
  look(now: number): TroubleNews[] {
    const pending = this.#pending
    if (!pending || now - pending.since < this.#limits.quietMs) return []
    if (pending.trouble !== 'refused') return []
    this.#pending = null
    return pending.isStorm ? [] : [{ what: 'met', trouble: 'refused' }]
  }

  #again(
    name: PushName,
    now: number,
    news: TroubleNews[],
  ): { reception: Reception; news: TroubleNews[] } {
    const pending = this.#pending
    // Refused for good, and the time in which that is watched is over.
    if (!pending || pending.push !== name.push) {
      this.#refusedLater += 1
      if (this.#refusedLater === MAX_TRIES_OF_REJECTED) {
        news.push({ what: 'storm', trouble: 'refused', count: MAX_TRIES_OF_REJECTED })
      }
      return { reception: this.#make('refused'), news }
    }
    pending.tries += 1
    pending.lastTriedAt = now
    const { trouble } = pending
    const isQuiet = now - pending.since >= this.#limits.quietMs
    const most = trouble === 'refused' ? MAX_TRIES_OF_REJECTED : MAX_TRIES_WITH_BACKOFF
    if (pending.tries > most && !isQuiet && !pending.isStorm) {
      pending.isStorm = true
      news.push({ what: 'storm', trouble, count: pending.tries - 1 })
    }
    if (trouble === 'refused') return { reception: this.#make(trouble), news }
    if (trouble === 'unauthorized') {
      if (!isQuiet) return { reception: this.#make(trouble), news }
      this.#pending = null
      if (!pending.isStorm) news.push({ what: 'met', trouble })
      return { reception: { trouble: null }, news }
    }
    // A server rounds; so does whoever waits.
    const early = this.#limits.retryAfterSeconds * 1000 - 100 - (now - pending.since)
    if (trouble === 'unavailable' && early > 0) {
      news.push({ what: 'too_early' })
      return { reception: this.#make(trouble), news }
    }
    this.#pending = null
    news.push({ what: 'met', trouble })
    return { reception: { trouble: null }, news }
  }

  #make(trouble: Trouble): Reception {
    return { trouble, retryAfterSeconds: this.#limits.retryAfterSeconds }
  }
}

/** With their times the hub puts them in order itself. */
function isOvertaking(pending: Pending, name: PushName): boolean {
  return (
    pending.trouble !== 'refused' &&
    pending.record === name.record &&
    !(pending.isDated && name.isDated)
  )
}
