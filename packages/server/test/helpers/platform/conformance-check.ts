/** Runs the conformance check on a simulated platform, as the command line does. */
import type { ConformanceLine, ConformanceReport } from '@recordhub/protocol'
import { checkPlatformStandalone } from '../../../src/cli/check-platform-standalone.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { Timer } from '../../../src/lib/time/throughput-monitor.ts'
import type { CallTarget } from '../../../src/platform-client/request/send-request.ts'
import { createManualTimer } from '../time/manual-timer.ts'
import {
  type PlatformOptions,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from './platform.ts'

export type CheckResult = { report: ConformanceReport; lines: ConformanceLine[] }
export type CheckLimits = {
  maxRecords?: number
  maxSeconds?: number
  signal?: AbortSignal
  timer?: Timer
}

const { config } = readConfig({ flags: {}, environment: {}, envFile: {} })

/** By default, the timer of the platform client does not advance, so that no response times out. */
export async function runConformanceCheck(
  target: CallTarget,
  limits: CheckLimits = {},
): Promise<CheckResult> {
  const { maxRecords = 1_000_000, maxSeconds = 60, signal = new AbortController().signal } = limits
  const { timer = createManualTimer() } = limits
  const { source_base_url, source_api_key } = target
  const request = {
    ...{ target: { source_base_url, source_api_key }, expected: null },
    ...{ maxRecords, maxSeconds },
  }
  const check = checkPlatformStandalone(config, request, {
    ...{ version: '0.0.0-test', signal, timer, push: null },
  })
  const lines: ConformanceLine[] = []
  let step = await check.next()
  while (!step.done) {
    lines.push(step.value)
    step = await check.next()
  }
  return { report: step.value, lines }
}

/** The rules that any platform can violate on a slow machine. */
export const SPEED_RULES: readonly string[] = [
  'response.slow',
  'records.slow_start',
  'records.slow',
]

/** `endpoint rule` of each finding, without {@link SPEED_RULES}. */
export function findingRules({ endpoints }: ConformanceReport): string[] {
  return endpoints.flatMap(({ endpoint, findings }) =>
    findings
      .filter(({ rule }) => !SPEED_RULES.includes(rule))
      .map(({ rule }) => `${endpoint} ${rule}`),
  )
}

export const VALID_DATA = {
  reference_number: 'x',
  status: 'open',
  created_at: '2026-11-20T08:00:00Z',
  updated_at: '2026-11-21T08:00:00Z',
}

export function validRecord(number: number, data: object = VALID_DATA) {
  return { reference_number: `R-${number}`, full_name: `Person ${number}`, data }
}

/** A platform whose report has no findings. */
export function simulateConformingPlatform(
  options: PlatformOptions = {},
): Promise<SimulatedPlatform> {
  const records = [1, 2, 3].map((number) => validRecord(number))
  return simulatePlatform({ modules: [simulatedModule('cases', { records })], ...options })
}
