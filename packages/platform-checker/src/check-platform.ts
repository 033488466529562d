/** Checks a complete platform: which data the hub would accept or reject, and further findings for its owner. */
import type {
  CheckedEndpoint,
  ConformanceLine,
  ConformanceReport,
  ConnectionCheck,
} from '@recordhub/protocol'
import { type CheckContext, toPlatformError, withRetry } from './check-context.ts'
import { checkDigest } from './check-digest.ts'
import { checkKeys } from './check-keys.ts'
import {
  addConnectionCheck,
  checkManifestEndpoint,
  checkPing,
  checkUnknownModule,
} from './check-manifest.ts'
import { type FirstRead, readModule, type Sample } from './check-records.ts'
import { checkSearch } from './check-search.ts'
import { checkConditions, readAgain } from './check-second-read.ts'
import type { ReadComparison } from './compare-reads.ts'
import type { CheckTarget, Description, Hub } from './hub.ts'
import { createReport } from './report.ts'
import { Section } from './section.ts'
import type { CheckedModule } from './validate-manifest.ts'

/** Characters of a platform's name and title in a report. */
const MAX_NAME_LENGTH = 200

export type CheckRequest = {
  target: CheckTarget
  /** The name that the platform must have; null for any. */
  expected: string | null
  /** Maximum number of records read per module. */
  maxRecords: number
  /** Maximum duration of the check. */
  maxSeconds: number
}

/** Called for each module with the records that it lists; null if they could not be read completely. */
export type OnModule = (module: CheckedModule, listed: ReadComparison | null) => void

/**
 * Yields the result of each endpoint as soon as it is checked, and returns the report. Nothing is stored.
 * @throws the reason of the signal when the caller aborts.
 */
export async function* checkPlatform(
  hub: Hub,
  request: CheckRequest,
  callerSignal: AbortSignal,
  onModule?: OnModule,
): AsyncGenerator<ConformanceLine, ConformanceReport> {
  const deadline = AbortSignal.timeout(request.maxSeconds * 1000)
  const signal = AbortSignal.any([callerSignal, deadline])
  const check = new PlatformCheck(hub, request, signal, onModule)
  try {
    yield* check.run()
  } catch (error) {
    callerSignal.throwIfAborted()
    if (!deadline.aborted) throw error
    yield* check.endAfterTimeout()
  }
  return check.report()
}

class PlatformCheck {
  readonly #hub: Hub
  readonly #request: CheckRequest
  readonly #signal: AbortSignal
  readonly #onModule: OnModule | undefined
  readonly #results: CheckedEndpoint[] = []
  #section: Section | null = null
  #description: Description = { source_base_url: null, target: null, ping: null, manifest: null }
  #isReached = true
  #isComplete = true

  constructor(
    hub: Hub,
    request: CheckRequest,
    signal: AbortSignal,
    onModule: OnModule | undefined,
  ) {
    this.#hub = hub
    this.#request = request
    this.#signal = signal
    this.#onModule = onModule
  }

  async *run(): AsyncGenerator<ConformanceLine, void> {
    const connection = yield* this.#begin('connection', 'Connection')
    const checks = await this.#connect(connection)
    const reachable = checks.get('reachable')
    if (reachable) addConnectionCheck(connection, reachable)
    const { target } = this.#description
    const [ping, manifest] = [checks.get('ping'), checks.get('manifest')]
    this.#isReached = ping !== undefined
    yield* this.#end(connection)
    if (!ping || !manifest) return
    const context = this.#createContext()

    const pingSection = yield* this.#begin('ping', 'Ping')
    await checkPing(context, pingSection, ping)
    yield* this.#end(pingSection)

    const manifestSection = yield* this.#begin('manifest', 'Manifest')
    const modules = await checkManifestEndpoint(context, manifestSection, manifest)
    if (modules.length > 0) await checkUnknownModule(context, manifestSection)
    yield* this.#end(manifestSection)
    // The key was rejected, so all other requests would fail too.
    if (!target) return

    let sample: Sample | null = null
    for (const module of modules) {
      const { record_type, module_name } = module
      const section = yield* this.#begin(`records/${record_type}`, `Records of ${module_name}`)
      const read = yield* this.#readModule(context, section, module)
      sample ??= read?.sample ?? null
      const isComplete = read !== null && !read.isCut
      this.#onModule?.(module, isComplete ? read.comparison : null)
      await checkKeys(context, section, `records/${encodeURIComponent(record_type)}`)
      yield* this.#end(section)
    }

    const searchSection = yield* this.#begin('search', 'Search')
    await checkSearch(context, searchSection, sample)
    yield* this.#end(searchSection)
  }

  /** Ends the current endpoint when the time limit is over. */
  async *endAfterTimeout(): AsyncGenerator<ConformanceLine, void> {
    this.#isComplete = false
    if (!this.#section) return
    this.#section.findings.add('check.out_of_time')
    yield* this.#end(this.#section)
  }

  report(): ConformanceReport {
    const { rules, now, version } = this.#hub
    const { ping, manifest, source_base_url } = this.#description
    const { target } = this.#request
    // A name must not contain line breaks or change the text direction in the head of the report.
    const sanitize = (name: string) =>
      rules.toSingleLine(rules.redact(name, [target.source_api_key]), MAX_NAME_LENGTH)
    const name = manifest?.platform_name ?? ping?.platform_name
    return createReport({
      checked_at: now().toISOString(),
      recordhub_version: version,
      source_base_url: source_base_url ?? this.#normalizeUrl(target.source_base_url),
      platform_name: name === undefined ? null : sanitize(name),
      platform_title: manifest ? sanitize(manifest.platform_title) : null,
      reached: this.#isReached,
      complete: this.#isComplete,
      endpoints: this.#results,
    })
  }

  *#begin(endpoint: string, title: string): Generator<ConformanceLine, Section> {
    const secrets = [this.#request.target.source_api_key]
    const section = new Section(endpoint, title, this.#hub.rules, () => secrets)
    this.#section = section
    yield section.begin()
    return section
  }

  *#end(section: Section): Generator<ConformanceLine, void> {
    const checked = section.result()
    this.#results.push(checked)
    yield { kind: 'endpoint', checked }
  }

  async #connect(section: Section): Promise<Map<string, ConnectionCheck>> {
    const { target, expected } = this.#request
    const { client, rules } = this.#hub
    const signal = this.#signal
    const description = client.checkDescription(target, {
      ...{ expected, signal },
      retry: (request) => withRetry({ rules, signal }, section, request),
    })
    const checks = new Map<string, ConnectionCheck>()
    let step = await description.next()
    while (!step.done) {
      checks.set(step.value.check, step.value)
      step = await description.next()
    }
    signal.throwIfAborted()
    this.#description = step.value
    return checks
  }

  async *#readModule(
    context: CheckContext,
    section: Section,
    module: CheckedModule,
  ): AsyncGenerator<ConformanceLine, FirstRead | null> {
    const platformName = this.#description.manifest?.platform_name ?? null
    try {
      const first = yield* readModule({ context, section, module, platformName })
      if (first.isCut) this.#isComplete = false
      await checkConditions(context, section, module.record_type, first)
      yield* section.newFindings()
      yield* readAgain(context, section, module.record_type, first)
      await checkDigest({ context, section, recordType: module.record_type, platformName }, first)
      return first
    } catch (error) {
      section.findings.addError(toPlatformError(context, error))
      return null
    }
  }

  #createContext(): CheckContext {
    const { target, maxRecords, maxSeconds } = this.#request
    const { client, rules } = this.#hub
    const source_base_url =
      this.#description.source_base_url ?? rules.parseSourceUrl(target.source_base_url)
    const signal = this.#signal
    return {
      ...{ client, rules, signal, maxRecords, maxSeconds },
      target: { ...target, source_base_url },
    }
  }

  /** An invalid address is not shown, since it may contain a password. */
  #normalizeUrl(url: string): string {
    try {
      return this.#hub.rules.parseSourceUrl(url)
    } catch {
      return ''
    }
  }
}
