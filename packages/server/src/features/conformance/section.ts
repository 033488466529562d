import type { CheckedEndpoint, ConformanceLine } from '@recordhub/protocol'
import { Findings } from '../../domain/conformance/findings.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'

const MAX_TEXT = 300

/** What becomes known of one endpoint while it is checked. */
export class Section {
  readonly endpoint: string
  readonly title: string
  readonly findings: Findings
  readonly #show: (text: string) => string
  readonly #passed: string[] = []
  #figures: Pick<CheckedEndpoint, 'records' | 'bytes' | 'took_ms'> = {
    records: null,
    bytes: null,
    took_ms: null,
  }

  /** @param hide takes keys out of what a platform said. */
  constructor(endpoint: string, title: string, hide: (text: string) => string) {
    this.#show = (text) => toSingleLine(hide(text), MAX_TEXT)
    this.endpoint = hide(endpoint)
    this.title = this.#show(title)
    this.findings = new Findings(hide)
  }

  passed(words: string): void {
    this.#passed.push(this.#show(words))
  }

  measured(figures: Partial<Pick<CheckedEndpoint, 'records' | 'bytes' | 'took_ms'>>): void {
    this.#figures = { ...this.#figures, ...figures }
  }

  begin(): ConformanceLine {
    return { kind: 'checking', endpoint: this.endpoint, title: this.title }
  }

  /** What has been found since this was last asked. */
  *news(): Generator<ConformanceLine> {
    const { endpoint } = this
    for (const finding of this.findings.takeFresh()) yield { kind: 'finding', endpoint, finding }
  }

  checked(): CheckedEndpoint {
    const { endpoint, title } = this
    const findings = this.findings.list()
    return { endpoint, title, ...this.#figures, passed: [...this.#passed], findings }
  }
}
