/** Judges a platform whole: what the hub would accept, what it would refuse, and what an owner should know. */
import type {
  CheckedEndpoint,
  ConformanceLine,
  ConformanceReport,
  ConnectionCheck,
} from '@recordhub/protocol'
import type { ReadComparison } from '../../domain/conformance/compare-reads.ts'
import type { JudgedModule } from '../../domain/conformance/judge-manifest.ts'
import { redactText } from '../../domain/platform/redact-keys.ts'
import { HubError } from '../../errors.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import { parseSourceUrl } from '../../platform-client/source-url.ts'
import { checkDescription, type PlatformDescription } from '../platforms/check-connection.ts'
import { checkConditions, readAgain } from './check-again.ts'
import { checkKeys } from './check-keys.ts'
import {
  checkManifestEndpoint,
  checkPing,
  checkUnknownModule,
  noteCheck,
} from './check-manifest.ts'
import { type FirstRead, readModule, type Sample } from './check-records.ts'
import { checkSearch } from './check-search.ts'
import { type CheckContext, type ConformanceClient, waitAsAsked } from './context.ts'
import { makeReport } from './make-report.ts'
import { Section } from './section.ts'

/** Characters of a platform's name and title in a report. */
const LONGEST_NAME = 200

export type CheckRequest = {
  target: CallTarget
  /** The name that the platform must bear; null where any will do. */
  expected: string | null
  /** Of a module no more are read. */
  maxRecords: number
  /** The whole check takes no longer. */
  maxSeconds: number
}

export type CheckParts = {
  client: ConformanceClient
  clock: Clock
  version: string
  /** Told of each module, with what was listed; null where it could not be read whole. */
  onModule?: (module: JudgedModule, listed: ReadComparison | null) => void
}

/**
 * Tells of each endpoint as it is checked, and returns the report. Nothing is stored.
 * @throws the signal's reason where whoever asked has left.
 */
export async function* checkPlatform(
  parts: CheckParts,
  request: CheckRequest,
  leaving: AbortSignal,
): AsyncGenerator<ConformanceLine, ConformanceReport> {
  const deadline = AbortSignal.timeout(request.maxSeconds * 1000)
  const signal = AbortSignal.any([leaving, deadline])
  const check = new PlatformCheck(parts, request, signal)
  let section: Section | null = null
  try {
    for await (const line of check.run((begun) => (section = begun))) yield line
  } catch (error) {
    leaving.throwIfAborted()
    if (!deadline.aborted || !section) throw error
    check.outOfTime(section)
    yield* check.end(section)
  }
  return check.report()
}

class PlatformCheck {
  readonly #parts: CheckParts
  readonly #request: CheckRequest
  readonly #signal: AbortSignal
  readonly #checked: CheckedEndpoint[] = []
  #described: PlatformDescription = {
    source_base_url: null,
    target: null,
    ping: null,
    manifest: null,
  }
  #isReached = true
  #isComplete = true

  constructor(parts: CheckParts, request: CheckRequest, signal: AbortSignal) {
    this.#parts = parts
    this.#request = request
    this.#signal = signal
  }

  async *run(onSection: (section: Section) => void): AsyncGenerator<ConformanceLine, void> {
    const begin = (endpoint: string, title: string): Section => {
      const section = new Section(endpoint, title, this.#hide)
      onSection(section)
      return section
    }
    const connection = begin('connection', 'Connection')
    yield connection.begin()
    const checks = await this.#connect(connection)
    for (const one of checks.values()) if (one.check === 'reachable') noteCheck(connection, one)
    const { target } = this.#described
    const [ping, manifest] = [checks.get('ping'), checks.get('manifest')]
    this.#isReached = ping !== undefined
    yield* this.end(connection)
    if (!ping || !manifest) return
    const context = this.#context()

    const pinging = begin('ping', 'Ping')
    yield pinging.begin()
    await checkPing(context, pinging, ping)
    yield* this.end(pinging)

    const manifesting = begin('manifest', 'Manifest')
    yield manifesting.begin()
    const modules = await checkManifestEndpoint(context, manifesting, manifest)
    if (modules.length > 0) await checkUnknownModule(context, manifesting)
    yield* this.end(manifesting)
    // Nothing else would open for this key either.
    if (!target) return

    let sample: Sample | null = null
    for (const module of modules) {
      const { record_type, module_name } = module
      const section = begin(`records/${record_type}`, `Records of ${module_name}`)
      yield section.begin()
      const platformName = this.#described.manifest?.platform_name ?? null
      const read = yield* this.#readModule({ context, section, module, platformName })
      sample ??= read?.sample ?? null
      const isWhole = read !== null && !read.isCut
      this.#parts.onModule?.(module, isWhole ? read.comparison : null)
      await checkKeys(context, section, `records/${encodeURIComponent(record_type)}`)
      yield* this.end(section)
    }

    const searching = begin('search', 'Search')
    yield searching.begin()
    await checkSearch(context, searching, sample)
    yield* this.end(searching)
  }

  async *end(section: Section): AsyncGenerator<ConformanceLine, void> {
    const checked = section.checked()
    this.#checked.push(checked)
    yield { kind: 'endpoint', checked }
  }

  readonly #hide = (text: string): string => redactText(text, [this.#request.target.source_api_key])

  /** A name in the head of the report, which it may not turn round or stretch. */
  readonly #shown = (text: string): string => toSingleLine(this.#hide(text), LONGEST_NAME)

  outOfTime({ findings }: Section): void {
    this.#isComplete = false
    findings.add('check.out_of_time')
  }

  report(): ConformanceReport {
    const { ping, manifest } = this.#described
    const name = manifest?.platform_name ?? ping?.platform_name
    return makeReport({
      checked_at: this.#parts.clock.now().toISOString(),
      recordhub_version: this.#parts.version,
      source_base_url:
        this.#described.source_base_url ?? shownUrl(this.#request.target.source_base_url),
      platform_name: name === undefined ? null : this.#shown(name),
      platform_title: manifest ? this.#shown(manifest.platform_title) : null,
      reached: this.#isReached,
      complete: this.#isComplete,
      endpoints: this.#checked,
    })
  }

  async #connect(section: Section): Promise<Map<string, ConnectionCheck>> {
    const { target, expected } = this.#request
    const options = { expected, correctUrl: expected === null, signal: this.#signal }
    const { client } = this.#parts
    const patiently = <Result>(call: () => Promise<Result>) =>
      waitAsAsked(this.#signal, section, call)
    const patient: Pick<ConformanceClient, 'ping' | 'fetchManifest'> = {
      ping: (...asked) => patiently(() => client.ping(...asked)),
      fetchManifest: (...asked) => patiently(() => client.fetchManifest(...asked)),
    }
    const description = checkDescription(patient, target, options)
    const checks = new Map<string, ConnectionCheck>()
    let step = await description.next()
    while (!step.done) {
      checks.set(step.value.check, step.value)
      step = await description.next()
    }
    this.#signal.throwIfAborted()
    this.#described = step.value
    return checks
  }

  async *#readModule(
    parts: Parameters<typeof readModule>[0],
  ): AsyncGenerator<ConformanceLine, FirstRead | null> {
    const { context, section, module } = parts
    try {
      const first = yield* readModule(parts)
      if (first.isCut) this.#isComplete = false
      await checkConditions(context, section, module.record_type, first)
      yield* section.news()
      yield* readAgain(context, section, module.record_type, first)
      return first
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof HubError)) throw error
      section.findings.addError(error)
      return null
    }
  }

  #context(): CheckContext {
    const { target, maxRecords, maxSeconds } = this.#request
    const source_base_url =
      this.#described.source_base_url ?? parseSourceUrl(target.source_base_url)
    const { client } = this.#parts
    const signal = this.#signal
    return { client, target: { ...target, source_base_url }, signal, maxRecords, maxSeconds }
  }
}

/** One that cannot be used may hold a password. */
function shownUrl(url: string): string {
  try {
    return parseSourceUrl(url)
  } catch {
    return ''
  }
}
