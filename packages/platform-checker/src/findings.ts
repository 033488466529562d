import type { Finding } from '@recordhub/protocol'
import type { PlatformError } from './hub.ts'
import type { GuideHeading, Rule } from './rules/rule.ts'
import { RULES, type RuleId } from './rules/rules.ts'

export type Occurrence = {
  /** Values for the placeholders of the rule's message. */
  params?: Readonly<Record<string, string | number>>
  field?: string
  /** The position of the element or push, from 1. */
  element?: number
  reference?: string | null
  found?: string
}

const MAX_EXAMPLES = 5
/** Limits the memory for a platform whose records all have different keys. */
const MAX_FINDINGS = 200

const SEVERITIES: Finding['severity'][] = ['error', 'warning', 'note']

/** Collects the findings of one endpoint. Equal issues in several records are one finding with a count. */
export class Findings {
  readonly #sanitize: (text: string) => string
  readonly #errorSection: GuideHeading
  readonly #findings = new Map<string, Finding>()
  #unreported: Finding[] = []
  #omitted = 0

  /**
   * @param sanitize removes keys and line breaks from a text of the platform.
   * @param errorSection the heading of the guide that has the errors of the endpoint.
   */
  constructor(sanitize: (text: string) => string, errorSection: GuideHeading) {
    this.#sanitize = sanitize
    this.#errorSection = errorSection
  }

  add(id: RuleId, occurrence: Occurrence = {}): void {
    const { params = {}, field } = occurrence
    const rule = RULES[id]
    const message = fillIn(rule.message, { ...params, ...(field ? { field } : {}) })
    this.#add(id, { ...rule, message }, occurrence)
  }

  /** Adds a failed request, or a push that the hub would reject. */
  addError({ code, message, cause, fix }: PlatformError, occurrence: Occurrence = {}): void {
    const section = this.#errorSection
    const advice = cause === '' ? fix : `Likely cause: ${cause} ${fix}`
    this.#add(code, { severity: 'error', section, message, advice }, occurrence)
  }

  /** Returns the findings that are new since the last call. */
  takeUnreported(): Finding[] {
    const unreported = this.#unreported
    this.#unreported = []
    return unreported
  }

  /** Returns all findings, errors first. */
  list(): Finding[] {
    if (this.#omitted > 0) this.add('check.more', { params: { count: this.#omitted } })
    const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity)
    return [...this.#findings.values()].sort((one, other) => rank(one) - rank(other))
  }

  get hasErrors(): boolean {
    return [...this.#findings.values()].some(({ severity }) => severity === 'error')
  }

  #add(id: string, rule: Rule, { field, element, reference, found }: Occurrence): void {
    const finding = this.#findOrCreate(id, rule, field ?? null)
    if (!finding) return
    finding.count += 1
    const hasPosition = element !== undefined || found !== undefined || reference != null
    if (!hasPosition || finding.examples.length >= MAX_EXAMPLES) return
    finding.examples.push({
      element: element ?? null,
      reference: reference == null ? null : this.#sanitize(reference),
      found: this.#sanitize(found ?? ''),
    })
  }

  #findOrCreate(id: string, rule: Rule, field: string | null): Finding | null {
    const key = JSON.stringify([id, field, rule.message])
    const known = this.#findings.get(key)
    if (known) return known
    if (this.#findings.size >= MAX_FINDINGS && id !== 'check.more') {
      this.#omitted += 1
      return null
    }
    const finding: Finding = {
      ...{ ...rule, rule: id, count: 0, examples: [] },
      field: field === null ? null : this.#sanitize(field),
      message: this.#sanitize(rule.message),
    }
    this.#findings.set(key, finding)
    this.#unreported.push(finding)
    return finding
  }
}

function fillIn(message: string, params: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : placeholder,
  )
}
