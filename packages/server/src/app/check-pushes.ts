import type { CheckedEndpoint } from '@recordhub/protocol'
import type { Config } from '../config/settings.ts'
import type { ReadComparison } from '../domain/conformance/compare-reads.ts'
import type { JudgedModule } from '../domain/conformance/judge-manifest.ts'
import { PushJudge } from '../domain/conformance/judge-pushes.ts'
import type { TroubleLimits } from '../domain/conformance/push-troubles.ts'
import { redactText } from '../domain/platform/redact-keys.ts'
import { Section } from '../features/conformance/section.ts'
import { sleep } from '../lib/time/run-periodically.ts'
import { openTestReceiver } from './test-receiver.ts'

const LIMITS: TroubleLimits = { retryAfterSeconds: 2, quietMs: 10_000 }
const LOOK_EVERY_MS = 250

/** How pushes are watched, and who hears of them. */
export type PushWatch = {
  /** Ends it. */
  signal: AbortSignal
  limits?: TroubleLimits
  /** The time in milliseconds, from any beginning; never less than before. */
  now?: () => number
  /** Told where to push, and each push. */
  onOpen: (address: string, hubApiKey: string) => void
  onPush: (words: string) => void
}

export type PushCheck = PushWatch & {
  config: Config
  version: string
  platform: { platform_name: string; display_title: string }
  /** With what the records endpoint listed; null where it was not read whole. */
  modules: ReadonlyMap<JudgedModule, ReadComparison | null>
}

/** Opens a receiver and judges what comes, until all points are met or the signal. */
export async function checkPushes(check: PushCheck): Promise<CheckedEndpoint> {
  const { config, modules, signal, limits = LIMITS, now = () => performance.now() } = check
  let hubApiKey = ''
  const section = new Section('push', 'Pushes', (text) => redactText(text, [hubApiKey]))
  const listed = new Map([...modules].map(([module, read]) => [module.record_type, read]))
  const judge = new PushJudge({
    findings: section.findings,
    modules: [...modules.keys()],
    isListed: (type, reference) => listed.get(type)?.hasFirst(reference) ?? null,
    tunnelHeader: config.HUB_TUNNEL_HEADER,
    limits,
  })
  const receiver = await openTestReceiver({ ...check, modules: [...modules.keys()], judge, now })
  hubApiKey = receiver.hubApiKey
  try {
    check.onOpen(receiver.address, hubApiKey)
    while (!judge.isDone && (await sleep(LOOK_EVERY_MS, signal))) judge.look(now())
  } finally {
    await receiver.close()
  }
  if (judge.count > 0) section.passed(`Pushes received: ${judge.count}.`)
  for (const words of judge.end(now())) section.passed(words)
  return section.checked()
}
