/** Troubles that a check makes on purpose, one after the other, to see what a platform does about them. */
export type Trouble = 'unavailable' | 'dropped' | 'unauthorized' | 'refused'

/** What becomes of a push: it is taken as the hub takes it, or meets a trouble. */
export type Reception = { trouble: null } | { trouble: Trouble; retryAfterSeconds: number }

export type TroubleLimits = {
  retryAfterSeconds: number
  /** So long after a 401 or 422 there must be peace. */
  quietMs: number
}

export type TroubleNews =
  | { what: 'met'; trouble: Trouble }
  | { what: 'too_early' }
  | { what: 'storm'; trouble: Trouble; count: number }
  | { what: 'overtaken' }

/** Named so that pushes of one record are known, and the same push is known again. */
export type PushName = { push: string; record: string; isDated: boolean }

/** A 401 last: it has many wait for half a minute with all that they push. */
const ORDER: readonly Trouble[] = ['unavailable', 'dropped', 'refused', 'unauthorized']
/** So that whoever has little to push shows that first. */
const TAKEN_FIRST = 2
/** What comes more often within the quiet time is sent in a loop. */
const MOST_TRIES = 3

type Pending = PushName & { trouble: Trouble; since: number; tries: number; isStorm: boolean }

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

  /** The one that is under way. */
  get pending(): Trouble | null {
    return this.#pending?.trouble ?? null
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
        this.#pending = { ...name, trouble, since: now, tries: 1, isStorm: false }
        if (trouble === 'refused') this.#refused.add(name.push)
        return { reception: this.#make(trouble), news }
      }
    }
    this.#taken += 1
    return { reception: { trouble: null }, news }
  }

  /** To be called now and then: peace is no event. */
  look(now: number): TroubleNews[] {
    const pending = this.#pending
    if (!pending || now - pending.since < this.#limits.quietMs) return []
    if (pending.trouble !== 'unauthorized' && pending.trouble !== 'refused') return []
    this.#pending = null
    return pending.isStorm ? [] : [{ what: 'met', trouble: pending.trouble }]
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
      if (this.#refusedLater === MOST_TRIES) {
        news.push({ what: 'storm', trouble: 'refused', count: MOST_TRIES })
      }
      return { reception: this.#make('refused'), news }
    }
    pending.tries += 1
    if (pending.tries > MOST_TRIES && !pending.isStorm) {
      pending.isStorm = true
      news.push({ what: 'storm', trouble: pending.trouble, count: pending.tries - 1 })
    }
    const { trouble } = pending
    if (trouble === 'unauthorized' || trouble === 'refused') {
      return { reception: this.#make(trouble), news }
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
  const isTriedAgain = pending.trouble === 'unavailable' || pending.trouble === 'dropped'
  return isTriedAgain && pending.record === name.record && !(pending.isDated && name.isDated)
}
