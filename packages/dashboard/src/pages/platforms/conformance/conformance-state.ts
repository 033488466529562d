import type { CheckedEndpoint, ConformanceAnswer, ConformanceLine } from '@recordhub/protocol'

export type Conformance = {
  /** Those that are done, and the one that is being looked at. */
  endpoints: CheckedEndpoint[]
  /** How many records of it have been read, while that goes on. */
  progress: number | null
  answer: ConformanceAnswer | null
}

export const NOTHING: Conformance = { endpoints: [], progress: null, answer: null }

/** What is known of a platform after one more line of its check. */
export function takeLine(state: Conformance, line: ConformanceLine): Conformance {
  switch (line.kind) {
    case 'checking': {
      const { endpoint, title } = line
      const begun = { endpoint, title, ...NO_FIGURES, passed: [], findings: [] }
      return { ...state, progress: null, endpoints: [...state.endpoints, begun] }
    }
    case 'finding': {
      const { endpoint, finding } = line
      return change(state, endpoint, (one) => ({ ...one, findings: [...one.findings, finding] }))
    }
    case 'progress':
      return { ...state, progress: line.records }
    case 'endpoint':
      return { ...change(state, line.checked.endpoint, () => line.checked), progress: null }
    case 'report': {
      const { kind: _, ...answer } = line
      return { endpoints: answer.report.endpoints, progress: null, answer }
    }
  }
}

const NO_FIGURES = { records: null, bytes: null, took_ms: null }

function change(
  state: Conformance,
  endpoint: string,
  to: (before: CheckedEndpoint) => CheckedEndpoint,
): Conformance {
  const endpoints = state.endpoints.map((one) => (one.endpoint === endpoint ? to(one) : one))
  return { ...state, endpoints }
}
