/** The hub, measured as the other products are. */
import type { Engine } from '../engines.ts'
import { register, startHub, startPull, waitForPull } from '../hub.ts'
import { peakMemory, startServer } from '../processes.ts'
import type { PeerWork, RequestPattern, RunningPeer } from './peer.ts'

export async function startHubAsPeer(engine: Engine, work: PeerWork): Promise<RunningPeer> {
  const hub = await startHub(engine)
  const source = await startServer('./document-server.ts', ['small', '0'], {})
  const { key } = await register(hub, { port: source.port, name: 'pushing' })
  await source.stop()
  const push = (bodies: readonly string[]): RequestPattern => ({
    method: 'POST',
    path: '/api/webhook/receive',
    headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
    bodies,
  })
  return {
    name: `hub, ${engine}`,
    port: hub.process.port,
    create: push(work.creates),
    update: push(work.updates),
    async pull(platformPort) {
      const { id } = await register(hub, { port: platformPort })
      const only = { platformId: id, recordTypes: ['item-1'] }
      return (await waitForPull(hub, await startPull(hub, only))).seconds
    },
    async countRecords() {
      const { stats } = await hub.call('GET', '/dashboard/realtime')
      return Number(Object(stats).records)
    },
    cpuSeconds: hub.cpuSeconds,
    peakMemory: () => peakMemory(hub.process.pid),
    stop: hub.stop,
  }
}
