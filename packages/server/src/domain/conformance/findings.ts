import type { Finding } from '@recordhub/protocol'
import type { HubError } from '../../errors.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'
import { type RuleId, ruleOf } from './rules.ts'

/** What was met, and where. */
export type Met = {
  /** Instead of the rule's. */
  message?: string
  /** Fills the places of the rule's message. */
  params?: Readonly<Record<string, string | number>>
  field?: string
  /** From 1. */
  element?: number
  reference?: string | null
  found?: string
}

/** More of one kind help nobody. */
const MAX_EXAMPLES = 5
/** A platform that names each key differently must not fill the memory. */
const MAX_KINDS = 200
const MAX_TEXT = 300

/** Gathers what is wrong with one endpoint: the same fault at many places is one finding with a count. */
export class Findings {
  readonly #hide: (text: string) => string
  readonly #found = new Map<string, Finding>()
  #fresh: Finding[] = []
  #beyond = 0

  /** @param hide takes keys out of what a platform said. */
  constructor(hide: (text: string) => string) {
    this.#hide = hide
  }

  add(rule: RuleId, met: Met = {}): void {
    const { params = {}, field, element, reference, found } = met
    const message = met.message ?? fill(ruleOf(rule).message, params, field)
    const finding = this.#findingOf(rule, message, field ?? null)
    if (!finding) return
    finding.count += 1
    const isPlaced = element !== undefined || found !== undefined || reference != null
    if (!isPlaced || finding.examples.length >= MAX_EXAMPLES) return
    finding.examples.push({
      element: element ?? null,
      reference: reference == null ? null : this.#show(reference),
      found: this.#show(found ?? ''),
    })
  }

  /** What a call came to. */
  addError(error: HubError): void {
    this.add(error.code, { message: error.message })
  }

  /** What has been found since this was last asked. */
  takeFresh(): Finding[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }

  /** All of it, the worst first. */
  list(): Finding[] {
    if (this.#beyond > 0) this.add('check.more', { params: { count: this.#beyond } })
    const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity)
    return [...this.#found.values()].sort((one, other) => rank(one) - rank(other))
  }

  get hasErrors(): boolean {
    return [...this.#found.values()].some(({ severity }) => severity === 'error')
  }

  #findingOf(rule: RuleId, message: string, field: string | null): Finding | null {
    const key = JSON.stringify([rule, field, message])
    const known = this.#found.get(key)
    if (known) return known
    if (this.#found.size >= MAX_KINDS && rule !== 'check.more') {
      this.#beyond += 1
      return null
    }
    const { severity, section, advice } = ruleOf(rule)
    const finding: Finding = {
      ...{ rule, severity, section, advice, count: 0, examples: [] },
      field: field === null ? null : this.#show(field),
      message: this.#show(message),
    }
    this.#found.set(key, finding)
    this.#fresh.push(finding)
    return finding
  }

  #show(text: string): string {
    return toSingleLine(this.#hide(text), MAX_TEXT)
  }
}

const SEVERITIES: Finding['severity'][] = ['error', 'warning', 'note']

function fill(message: string, params: Met['params'] & object, field: string | undefined): string {
  const values: Record<string, string | number> = { ...params, ...(field ? { field } : {}) }
  return message.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : place,
  )
}
