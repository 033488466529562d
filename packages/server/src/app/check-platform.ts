import type { ConformanceLine, ConformanceReport } from '@recordhub/protocol'
import { toPlatformClientSettings } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import type { ReadComparison } from '../domain/conformance/compare-reads.ts'
import type { JudgedModule } from '../domain/conformance/judge-manifest.ts'
import { reportHtml } from '../domain/conformance/report-html.ts'
import { countsInWords, endpointInText, verdictOf } from '../domain/conformance/report-text.ts'
import { type CheckRequest, checkPlatform } from '../features/conformance/check-platform.ts'
import { withPushes } from '../features/conformance/make-report.ts'
import { toSingleLine } from '../lib/text/single-line.ts'
import { systemClock } from '../lib/time/clock.ts'
import { systemTimer, type Timer } from '../lib/time/throughput-monitor.ts'
import { createPlatformClient } from '../platform-client/platform-client.ts'
import { DEFAULT_TIMEOUTS } from '../platform-client/request/timeouts.ts'
import { checkPushes, type PushWatch } from './check-pushes.ts'

export type CheckSurroundings = {
  version: string
  /** Ends the check. */
  signal: AbortSignal
  /** How time passes while the platform answers. */
  timer?: Timer
  /** Has its pushes judged too; null for not. */
  push: (Omit<PushWatch, 'signal'> & { seconds: number | null }) | null
}

/** Checks a platform without a hub: no storage, no secret, nothing is kept. */
export async function* checkPlatformAlone(
  config: Config,
  request: CheckRequest,
  { version, signal, timer = systemTimer, push }: CheckSurroundings,
): AsyncGenerator<ConformanceLine, ConformanceReport> {
  const timeouts = { ...DEFAULT_TIMEOUTS, timer, firstByteSeconds: request.maxSeconds }
  const client = createPlatformClient(toPlatformClientSettings(config, timeouts))
  const modules = new Map<JudgedModule, ReadComparison | null>()
  // What was listed takes memory, and is needed for pushes only.
  const onModule = (module: JudgedModule, read: ReadComparison | null) => modules.set(module, read)
  const parts = { client, clock: systemClock, version, ...(push ? { onModule } : {}) }
  // A pause, and the wait for one that is silent, hold no process by themselves.
  const staying = setInterval(() => undefined, 60_000)
  try {
    const report = yield* checkPlatform(parts, request, signal)
    const { platform_name, platform_title } = report
    if (!push || modules.size === 0 || platform_name === null) return report
    const platform = { platform_name, display_title: platform_title ?? platform_name }
    const limit = push.seconds === null ? [] : [AbortSignal.timeout(push.seconds * 1000)]
    const onPush = (words: string) => push.onPush(toSingleLine(words, 200))
    const watching = { ...push, onPush, signal: AbortSignal.any([signal, ...limit]) }
    const checked = await checkPushes({ ...watching, config, version, platform, modules })
    yield { kind: 'endpoint', checked }
    return withPushes(report, checked)
  } finally {
    clearInterval(staying)
    await client.close()
  }
}

/** A report for people. */
export const describeReport = {
  html: reportHtml,
  endpoint: endpointInText,
  verdict: (report: ConformanceReport) => `${verdictOf(report)} ${countsInWords(report)}.`,
}
