import type { CheckedEndpoint, ConformanceLine, ConformanceResponse } from '@recordhub/protocol'

export type Conformance = {
  /** The checked endpoints, and the one being checked. */
  endpoints: CheckedEndpoint[]
  /** The number of records checked so far at the current endpoint. */
  progress: number | null
  result: ConformanceResponse | null
}

export const INITIAL: Conformance = { endpoints: [], progress: null, result: null }

/** Applies a line of the response to the state. */
export function applyLine(state: Conformance, line: ConformanceLine): Conformance {
  switch (line.kind) {
    case 'checking': {
      const { endpoint, title } = line
      const started = { endpoint, title, ...NO_FIGURES, passed: [], findings: [] }
      return { ...state, progress: null, endpoints: [...state.endpoints, started] }
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
      const { kind: _, ...result } = line
      return { endpoints: result.report.endpoints, progress: null, result: result }
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
