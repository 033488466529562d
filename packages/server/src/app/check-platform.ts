import type { ConformanceLine, ConformanceReport } from '@recordhub/protocol'
import type { Config } from '../config.ts'
import { reportHtml } from '../domain/conformance/report-html.ts'
import { countsInWords, endpointInText, verdictOf } from '../domain/conformance/report-text.ts'
import { type CheckRequest, checkPlatform } from '../features/conformance/check-platform.ts'
import { systemClock } from '../lib/clock.ts'
import { PATIENCE } from '../outgoing/patience.ts'
import { createPlatformClient } from '../outgoing/platform-client.ts'
import { outgoingOf } from './parts-of-config.ts'

/** Checks a platform without a hub: no storage, no secret, nothing is kept. */
export async function* checkPlatformAlone(
  config: Config,
  request: CheckRequest,
  { version, signal }: { version: string; signal: AbortSignal },
): AsyncGenerator<ConformanceLine, ConformanceReport> {
  const patience = { ...PATIENCE, firstByteSeconds: request.maxSeconds }
  const client = createPlatformClient(outgoingOf(config, patience))
  try {
    return yield* checkPlatform({ client, clock: systemClock, version }, request, signal)
  } finally {
    await client.close()
  }
}

/** A report for people. */
export const describeReport = {
  html: reportHtml,
  endpoint: endpointInText,
  verdict: (report: ConformanceReport) => `${verdictOf(report)} ${countsInWords(report)}.`,
}
