import type { ServerFacts } from '../../../storage/port/diagnostics-store.ts'
import { type Finding, info, problem } from './finding.ts'

/** The first version with everything that the hub uses of `node:sqlite`. */
const MIN_NODE = [24, 0] as const

/** @param server null if the database cannot be read. */
export function checkVersions(
  { hub, node }: { hub: string; node: string },
  server: (Pick<ServerFacts, 'engine_version'> & { engine: 'sqlite' | 'postgres' }) | null,
): Finding[] {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [minMajor, minMinor] = MIN_NODE
  const isOld = major < minMajor || (major === minMajor && minor < minMinor)
  const engine = server ? `, ${ENGINES[server.engine]} ${server.engine_version}` : ''
  return [
    info(`Recordhub ${hub}, Node.js ${node}${engine}`),
    ...(isOld
      ? [problem(`Node.js ${node} is too old.`, `Install Node.js ${MIN_NODE.join('.')} or later.`)]
      : []),
  ]
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
