import type { CheckedEndpoint, ConformanceLine } from '@recordhub/protocol'
import { Findings } from './findings.ts'
import type { HubRules } from './hub.ts'

const MAX_TEXT_LENGTH = 300

type Measurements = Pick<CheckedEndpoint, 'records' | 'bytes' | 'took_ms'>

/** The section of the report about one endpoint. */
export class Section {
  readonly endpoint: string
  readonly title: string
  readonly findings: Findings
  readonly #sanitize: (text: string) => string
  readonly #passed: string[] = []
  #measurements: Measurements = { records: null, bytes: null, took_ms: null }

  /** @param secrets returns the keys that the report must not contain. */
  constructor(
    endpoint: string,
    title: string,
    { redact, toSingleLine }: Pick<HubRules, 'redact' | 'toSingleLine'>,
    secrets: () => readonly string[],
  ) {
    this.#sanitize = (text) => toSingleLine(redact(text, secrets()), MAX_TEXT_LENGTH)
    this.endpoint = redact(endpoint, secrets())
    this.title = this.#sanitize(title)
    const errors = endpoint === 'push' ? 'Responses to a push' : 'Errors of your endpoints'
    this.findings = new Findings(this.#sanitize, errors)
  }

  addPassed(message: string): void {
    this.#passed.push(this.#sanitize(message))
  }

  setMeasurements(measurements: Partial<Measurements>): void {
    this.#measurements = { ...this.#measurements, ...measurements }
  }

  begin(): ConformanceLine {
    return { kind: 'checking', endpoint: this.endpoint, title: this.title }
  }

  /** Yields the findings that are new since the last call. */
  *newFindings(): Generator<ConformanceLine> {
    const { endpoint } = this
    for (const finding of this.findings.takeUnreported()) {
      yield { kind: 'finding', endpoint, finding }
    }
  }

  result(): CheckedEndpoint {
    const { endpoint, title } = this
    const findings = this.findings.list()
    return { endpoint, title, ...this.#measurements, passed: [...this.#passed], findings }
  }
}
