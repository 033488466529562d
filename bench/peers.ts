/**
 * The hub and other products doing the same work on the same machine: creating and updating one record per request,
 * and storing all records of a document. Each figure is a multiple of a yardstick of the same run.
 */
import type { Engine } from './engines.ts'
import { startDirectus } from './peers/directus.ts'
import { startHubAsPeer } from './peers/hub.ts'
import { startN8n } from './peers/n8n.ts'
import { documentUrl, type PeerWork, type RequestPattern, type RunningPeer } from './peers/peer.ts'
import { runReader, type ServerProcess, startServer } from './processes.ts'
import { median, runLoad } from './push-load.ts'
import { type DataName, RECORD_DATA } from './records-data.ts'
import { heading, report } from './report.ts'

const CONNECTIONS = 64
const ROUNDS = 3
const SECONDS = 3

/** The other products are measured on PostgreSQL only: on SQLite they need programs that are not in the registry. */
const PEERS: Record<Engine, readonly ((work: PeerWork) => Promise<RunningPeer>)[]> = {
  SQLite: [(work) => startHubAsPeer('SQLite', work)],
  PostgreSQL: [(work) => startHubAsPeer('PostgreSQL', work), startDirectus, startN8n],
}

/** Measures one product after the other. One that cannot be installed or started is reported, and the run fails. */
export async function benchPeers(engine: Engine, data: DataName, records: number): Promise<void> {
  const creates = RECORD_DATA[data].pushes
  // The time of the last change differs.
  const updates = creates.map((body) => body.replaceAll('2026-11-21T', '2026-11-22T'))
  heading(
    `peers, ${engine}, ${data} records, ${CONNECTIONS} connections, pull of ${records} records`,
  )
  for (const start of PEERS[engine]) {
    try {
      await measurePeer(engine, data, records, () => start({ creates, updates }))
    } catch (error) {
      process.stderr.write(`  not measured: ${error instanceof Error ? error.message : error}\n`)
      process.exitCode = 1
    }
  }
}

async function measurePeer(
  engine: Engine,
  data: DataName,
  records: number,
  start: () => Promise<RunningPeer>,
): Promise<void> {
  const peer = await start()
  const bare = await startServer('./bare-server.ts', [], {})
  const platform = await startServer('./document-server.ts', [data, String(records)], {})
  try {
    const created = await measureRequests(engine, `${data}, create`, { peer, bare })
    await measureRequests(engine, `${data}, update`, { peer, bare, existing: created })
    await measurePull(engine, data, { peer, platform, records, created })
    const name = `${peer.name}: ${data}, peak memory`
    report({ bench: 'peers', engine, name, figure: peer.peakMemory(), unit: 'MB', goal: null })
  } finally {
    await platform.stop()
    await bare.stop()
    await peer.stop()
  }
}

/** @returns the number of requests. With `existing`, record 1 to this number are updated, each at most once. */
async function measureRequests(
  engine: Engine,
  name: string,
  { peer, bare, existing }: { peer: RunningPeer; bare: ServerProcess; existing?: number },
): Promise<number> {
  const pattern = existing === undefined ? peer.create : peer.update
  const rounds: { perSecond: number; p50: number; p99: number; bare: number }[] = []
  let sent = 0
  // Warms up.
  if (existing === undefined) sent = (await send(peer.port, pattern, 0)).completed
  const [before, sentBefore] = [peer.cpuSeconds(), sent]
  for (let round = 0; round < ROUNDS; round++) {
    const baseline = await send(bare.port, { ...pattern, method: 'POST' }, 0)
    const share = existing === undefined ? undefined : Math.floor((existing * (round + 1)) / ROUNDS)
    const result = await send(peer.port, pattern, sent, share)
    sent += result.completed
    rounds.push({ ...result, bare: baseline.perSecond })
  }
  const of = (figure: 'perSecond' | 'p50' | 'p99' | 'bare') =>
    median(rounds.map((one) => one[figure]))
  report({
    ...{ bench: 'peers', engine, unit: '×', goal: null },
    name: `${peer.name}: ${name}`,
    figure: median(rounds.map((round) => round.bare / round.perSecond)),
    measured: `${of('perSecond').toFixed(0)}/s, p50 ${of('p50').toFixed(1)} ms, p99 ${of('p99').toFixed(1)} ms`,
    yardstick: `bare node:http ${of('bare').toFixed(0)}/s`,
    cpuMicroseconds: ((peer.cpuSeconds() - before) / (sent - sentBefore)) * 1e6,
  })
  return sent
}

async function send(
  port: number,
  pattern: RequestPattern,
  firstNumber: number,
  lastNumber?: number,
) {
  const result = await runLoad({
    ...{ ...pattern, port, connections: CONNECTIONS, seconds: SECONDS, firstNumber },
    ...(lastNumber === undefined ? {} : { lastNumber }),
  })
  if (result.failed > 0)
    throw new Error(
      `${result.failed} of ${result.completed} requests failed: ${pattern.method} ${pattern.path}`,
    )
  return { ...result, perSecond: result.completed / result.seconds }
}

async function measurePull(
  engine: Engine,
  data: DataName,
  deps: { peer: RunningPeer; platform: ServerProcess; records: number; created: number },
): Promise<void> {
  const { peer, platform, records, created } = deps
  const read = () => runReader('./read-document.ts', [documentUrl(platform.port)])
  const before = await read()
  const cpuBefore = peer.cpuSeconds()
  const seconds = await peer.pull(platform.port)
  const cpuMicroseconds = ((peer.cpuSeconds() - cpuBefore) / records) * 1e6
  const yardstick = (before + (await read())) / 2
  const stored = (await peer.countRecords()) - created
  if (stored !== records) throw new Error(`${peer.name} stored ${stored} of ${records} records`)
  report({
    ...{ bench: 'peers', engine, unit: '×', goal: null },
    name: `${peer.name}: ${data}, pull`,
    figure: seconds / yardstick,
    measured: `${seconds.toFixed(2)} s, ${Math.round(records / seconds)} records/s`,
    yardstick: `response.json() ${yardstick.toFixed(2)} s`,
    cpuMicroseconds,
  })
}
