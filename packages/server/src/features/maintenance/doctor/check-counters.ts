/** Whether the stored counters equal the rows that they count. */
import type {
  CounterDifference,
  DiagnosticsStore,
  InvalidCounter,
} from '../../../storage/port/diagnostics-store.ts'
import { type Finding, problem } from './finding.ts'

const LABELS: Record<CounterDifference['counter'], string> = {
  records: 'records',
  rejected_bytes: 'bytes of rejected pushes',
  created: 'created records',
}

export async function checkCounters(database: DiagnosticsStore): Promise<Finding[]> {
  const differences = await database.compareCounters()
  const invalid = await database.findInvalidCounters()
  return [
    ...describeTotal(differences),
    ...differences.map(describeDifference),
    ...invalid.map(describeInvalid),
  ]
}

/** The dashboard shows the sum of these counters. */
function describeTotal(differences: CounterDifference[]): Finding[] {
  const ofModules = differences.filter(({ counter }) => counter === 'records')
  if (ofModules.length < 2) return []
  const excess = ofModules.reduce((sum, { stored, counted }) => sum + stored - counted, 0)
  const message = `The number of records in the dashboard is wrong by ${excess}, because of ${ofModules.length} modules.`
  return [problem(message, 'Count again: --fix.', 'counters')]
}

function describeDifference({ counter, name, stored, counted }: CounterDifference): Finding {
  const message = `${name}: ${stored} ${LABELS[counter]} are counted, but there are ${counted}.`
  return counter === 'created'
    ? problem(message, 'The chart of this hour is too low. It cannot be counted again.')
    : problem(message, 'Count again: --fix.', 'counters')
}

function describeInvalid({ table, reason, rows }: InvalidCounter): Finding {
  if (reason === 'orphaned') {
    const message = `${table}: ${rows} rows belong to a platform or module that does not exist.`
    return table === 'module_counters'
      ? problem(message, 'Delete them: --fix.', 'counters')
      : problem(message, 'They are not shown. Restore a backup if rows are missing elsewhere, too.')
  }
  const message = `${table}: ${rows} rows have counts that contradict each other.`
  return table === 'module_counters'
    ? problem(message, 'Count again: --fix.', 'counters')
    : problem(message, 'Charts may be wrong. These counts cannot be counted again.')
}
