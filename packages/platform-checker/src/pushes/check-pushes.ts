import { setTimeout } from 'node:timers/promises'
import type { CheckedEndpoint } from '@recordhub/protocol'
import type { ReadComparison } from '../compare-reads.ts'
import type { HubRules } from '../hub.ts'
import { Section } from '../section.ts'
import type { CheckedModule } from '../validate-manifest.ts'
import type { FaultLimits } from './fault-injector.ts'
import { PushValidator } from './validate-pushes.ts'

const DEFAULT_LIMITS: FaultLimits = { retryAfterSeconds: 2, observationMs: 10_000 }
const TICK_MS = 250

/** A server that responds to pushes as a hub does, passes them to the validator, and injects its faults. */
export type TestReceiver = { address: string; hubApiKey: string; close: () => Promise<void> }

export type PushCheck = {
  rules: HubRules
  /** The modules of the platform, with the records that each lists; null if they were not read completely. */
  modules: ReadonlyMap<CheckedModule, ReadComparison | null>
  tunnelHeader: string
  /** Ends the check. */
  signal: AbortSignal
  limits?: FaultLimits
  /** A monotonic clock in milliseconds. */
  now?: () => number
  openReceiver: (validator: PushValidator, now: () => number) => Promise<TestReceiver>
  /** Called with the address and the key to which the platform must push. */
  onOpen: (address: string, hubApiKey: string) => void
}

/** Opens a test receiver and validates pushes until every behaviour is observed or the signal aborts. */
export async function checkPushes(check: PushCheck): Promise<CheckedEndpoint> {
  const { rules, modules, tunnelHeader, signal } = check
  const { limits = DEFAULT_LIMITS, now = () => performance.now() } = check
  const secrets: string[] = []
  const section = new Section('push', 'Pushes', rules, () => secrets)
  const listed = new Map([...modules].map(([module, read]) => [module.record_type, read]))
  const validator = new PushValidator({
    ...{ findings: section.findings, rules, tunnelHeader, limits },
    modules: [...modules.keys()],
    isListed: (type, reference) => listed.get(type)?.hasFirst(reference) ?? null,
  })
  const receiver = await check.openReceiver(validator, now)
  secrets.push(receiver.hubApiKey)
  try {
    check.onOpen(receiver.address, receiver.hubApiKey)
    while (!validator.isComplete && !signal.aborted) {
      await setTimeout(TICK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) validator.tick(now())
    }
  } finally {
    await receiver.close()
  }
  if (validator.count > 0) section.addPassed(`Pushes received: ${validator.count}.`)
  for (const behaviour of validator.end(now())) section.addPassed(behaviour)
  return section.result()
}
