import type { ServerFacts } from '../../../storage/port/diagnostics-store.ts'
import { type Finding, info, problem } from './finding.ts'

/** The first versions whose `node:sqlite` binds numbered parameters correctly; the range of the published package. */
const MIN_NODE = '24.7, or 22.20 of Node.js 22,'
const isSupported = (major: number, minor: number) =>
  major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20)

/** @param server null if the database cannot be read. */
export function checkVersions(
  { hub, node }: { hub: string; node: string },
  server: (Pick<ServerFacts, 'engine_version'> & { engine: 'sqlite' | 'postgres' }) | null,
): Finding[] {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const engine = server ? `, ${ENGINES[server.engine]} ${server.engine_version}` : ''
  return [
    info(`Recordhub ${hub}, Node.js ${node}${engine}`),
    ...(isSupported(major, minor)
      ? []
      : [problem(`Node.js ${node} is not supported.`, `Install Node.js ${MIN_NODE} or later.`)]),
  ]
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
