import {
  type CheckRequest,
  checkPlatform,
  checkPushes,
  type OnModule,
  type PushCheck,
  withPushes,
} from '@recordhub/platform-checker'
import type { CheckedEndpoint, ConformanceLine, ConformanceReport } from '@recordhub/protocol'
import { toPlatformClientSettings } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import { CHECKER_RULES, createCheckerHub } from '../features/platforms/checker-hub.ts'
import { toSingleLine } from '../lib/text/code-points.ts'
import { systemClock } from '../lib/time/clock.ts'
import { systemTimer, type Timer } from '../lib/time/throughput-monitor.ts'
import { createPlatformClient } from '../platform-client/platform-client.ts'
import { DEFAULT_TIMEOUTS } from '../platform-client/request/timeouts.ts'
import { openTestReceiver, type ReceiverPlatform } from '../test-receiver.ts'

type StandaloneCheck = {
  version: string
  signal: AbortSignal
  timer?: Timer
  /** How pushes are checked; `seconds` is the time limit. Null for a check without pushes. */
  push: (PushOptions & { seconds: number | null }) | null
}

type PushOptions = Pick<PushCheck, 'onOpen' | 'limits' | 'now'> & {
  /** Called for each push with a line about the push and the response. */
  onPush: (line: string) => void
}

const MAX_LINE_LENGTH = 200

/** Checks a platform without a running hub: there is no storage and no secret, and nothing is stored. */
export async function* checkPlatformStandalone(
  config: Config,
  request: CheckRequest,
  { version, signal, timer = systemTimer, push }: StandaloneCheck,
): AsyncGenerator<ConformanceLine, ConformanceReport> {
  const timeouts = { ...DEFAULT_TIMEOUTS, timer, firstByteSeconds: request.maxSeconds }
  const client = createPlatformClient(toPlatformClientSettings(config, timeouts))
  const hub = createCheckerHub(client, systemClock, version)
  const modules: Parameters<OnModule>[] = []
  // The listed records need memory, and only the check of pushes uses them.
  const onModule: OnModule = (...module) => push && modules.push(module)
  // The timers of the check do not keep the process alive.
  const keepAlive = setInterval(() => undefined, 60_000)
  try {
    const report = yield* checkPlatform(hub, request, signal, onModule)
    const { platform_name, platform_title } = report
    if (!push || modules.length === 0 || platform_name === null) return report
    const timeout = push.seconds === null ? [] : [AbortSignal.timeout(push.seconds * 1000)]
    const checked = await checkPushesOfPlatform(config, push, {
      platform: { platform_name, display_title: platform_title ?? platform_name },
      modules: new Map(modules),
      signal: AbortSignal.any([signal, ...timeout]),
    })
    yield { kind: 'endpoint', checked }
    return withPushes(report, checked)
  } finally {
    clearInterval(keepAlive)
    await client.close()
  }
}

/** Opens a test receiver at the configured host and port, and checks the pushes of a platform. */
export function checkPushesOfPlatform(
  config: Config,
  push: PushOptions,
  check: Pick<PushCheck, 'modules' | 'signal'> & { platform: ReceiverPlatform },
): Promise<CheckedEndpoint> {
  const { modules, signal, platform } = check
  return checkPushes({
    ...push,
    rules: CHECKER_RULES,
    modules,
    signal,
    tunnelHeader: config.HUB_TUNNEL_HEADER,
    openReceiver: (validator, now) =>
      openTestReceiver({
        ...{ config, platform, modules: [...modules.keys()], validator, now },
        onPush: (line) => push.onPush(toSingleLine(line, MAX_LINE_LENGTH)),
      }),
  })
}
