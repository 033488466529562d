/** Counts who tries to get in, on all nodes and over restarts; docs/decisions/0013-login-throttle.md says why so. */
import type { FastifyRequest } from 'fastify'
import {
  type GuessCount,
  type GuessKind,
  isNotable,
  waitBeforeGuess,
} from '../../domain/auth/login-throttle.ts'
import { HubError, tooManyRequests } from '../../errors.ts'
import { hmacSha256 } from '../../lib/crypto/hash.ts'
import { clientSubnet } from '../../lib/net/client-subnet.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { GuessStore } from '../../storage/port/login-throttle-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { TrustedDevices } from './trusted-device.ts'

type Guess = {
  /** `recovery code` is as long as a password is good. */
  of: 'password' | 'code' | 'recovery code'
  email: string
  request: FastifyRequest
}

export type LoginThrottle = {
  /**
   * Does a step of a sign-in unless whoever tries has to wait.
   * @throws HubError `too_many_requests`
   */
  trying: (guess: Guess, step: () => Promise<Response>) => Promise<Response>
  /**
   * Does what takes one's password or code though one is signed in.
   * @throws HubError `too_many_requests`, and what `step` throws.
   */
  confirming: <Result>(sessionId: string, step: () => Promise<Result>) => Promise<Result>
  /** Waits for what is still being noted. */
  settle: () => Promise<void>
}

type Parts = {
  guesses: GuessStore
  operators: Pick<OperatorStore, 'listOperators'>
  activity: Pick<ActivityStore, 'appendAudit'>
  devices: TrustedDevices
  /** Of the hashes by which subjects are stored. */
  key: Uint8Array
  clock: Clock
  complain: (error: unknown) => void
}

/** Of all tries, for the audit of those at accounts that are none. */
const EVERYWHERE = 'everywhere'

export function createLoginThrottle(parts: Parts): LoginThrottle {
  const { guesses, operators, activity, devices, clock, complain } = parts
  const pending = new Set<Promise<void>>()
  const hash = (...words: string[]) => hmacSha256(parts.key, JSON.stringify(words))

  async function count(
    subjects: { person: string; place?: string; account?: string },
    judged: { kind: GuessKind; isKnownDevice: boolean },
  ): Promise<ReadonlyMap<string, GuessCount>> {
    const now = clock.now()
    const all = [...Object.values(subjects), hash(EVERYWHERE)]
    const outcome = await guesses.countGuess(all, now.toISOString(), (counts) => {
      const countOf = (subject: string | undefined) => counts.get(subject ?? '') ?? null
      const { person, place, account } = subjects
      const known = { person: countOf(person), place: countOf(place), account: countOf(account) }
      return waitBeforeGuess(known, judged, now)
    })
    if (outcome.outcome === 'counted') return outcome.counts
    throw tooManyRequests(outcome.seconds)
  }

  /** Only now and then, and after the answer, which must not tell by its time whether there is an account. */
  function noteFailure({ of, email, request }: Guess, tries: number, isNews: boolean): void {
    const note = async () => {
      const isOperator = (await operators.listOperators()).some((one) => one.email === email)
      // What is typed as an e-mail may be a password.
      const who = isOperator ? email : null
      if (who === null ? !isNews : !isNotable({ tries, at: '' })) return
      const details = { method: of, tries }
      const actor = who ?? 'nobody known'
      const address = request.ip
      await activity.appendAudit({ actor, action: 'session.refuse', target: who, address, details })
    }
    const noting = note().catch(complain)
    pending.add(noting)
    void noting.then(() => pending.delete(noting))
  }

  return {
    async trying(guess, step) {
      const { of, request } = guess
      const email = guess.email.toLowerCase()
      const device = devices.find(request, email)
      const place = clientSubnet(request.ip)
      const subjects = {
        person: hash(of, 'person', email, device ?? '', device === null ? place : ''),
        place: hash(of, 'place', place),
        account: hash(of, 'account', email),
      }
      const kind = of === 'code' ? 'code' : 'password'
      const counts = await count(subjects, { kind, isKnownDevice: device !== null })
      const others = [subjects.place, subjects.account, hash(EVERYWHERE)]
      const answer = await step().catch(async (error: unknown) => {
        await guesses.forgiveGuess([], [subjects.person, ...others]).catch(complain)
        throw error
      })
      if (answer.status === 401) {
        const everywhere = counts.get(hash(EVERYWHERE))
        const tries = counts.get(subjects.account)?.tries ?? 1
        noteFailure({ ...guess, email }, tries, everywhere !== undefined && isNotable(everywhere))
      } else if (answer.ok) {
        await guesses.forgiveGuess([subjects.person], others)
      } else {
        await guesses.forgiveGuess([], [subjects.person, ...others])
      }
      return answer
    },

    async confirming(sessionId, step) {
      const person = hash('confirmation', sessionId)
      await count({ person }, { kind: 'confirmation', isKnownDevice: false })
      try {
        const result = await step()
        await guesses.forgiveGuess([person], [hash(EVERYWHERE)])
        return result
      } catch (error) {
        const isWrong = error instanceof HubError && /^(password|code)_wrong$/.test(error.code)
        if (!isWrong) {
          await guesses.forgiveGuess([], [person, hash(EVERYWHERE)]).catch(complain)
        }
        throw error
      }
    },

    async settle() {
      await Promise.all(pending)
    },
  }
}
