/** Whether a PostgreSQL server can lose writes that the hub has acknowledged: for alerts, the log and `recordhub doctor`. */

/** The settings and the standbys of a PostgreSQL server. */
export type ServerDurability = {
  fsync: boolean
  full_page_writes: boolean
  /** The setting; empty if commits wait for no standby. */
  synchronous_standby_names: string
  /** The number of connected servers that replay the write-ahead log, and of those that commits wait for. */
  standbys: number
  synchronous_standbys: number
  /**
   * The number of replication connections whose state the role of the hub may not read. Each may be a standby, or a
   * program that archives the write-ahead log.
   */
  hidden_connections: number
}

export type DurabilityRisk = {
  kind: 'storage_not_synced' | 'standby_asynchronous'
  /** The setting that causes it. */
  setting: 'fsync' | 'full_page_writes' | 'synchronous_standby_names'
  message: string
  remedy: string
}

/** @param server null on SQLite, which has no such risk. */
export function findDurabilityRisks(server: ServerDurability | null): DurabilityRisk[] {
  if (!server) return []
  const unsynced = (['fsync', 'full_page_writes'] as const)
    .filter((setting) => !server[setting])
    .map((setting) => ({
      kind: 'storage_not_synced' as const,
      setting,
      message: `PostgreSQL: ${setting} is off, so a power failure can destroy the database.`,
      remedy: `ALTER SYSTEM SET ${setting} = on; SELECT pg_reload_conf();`,
    }))
  const standbys = server.standbys + server.hidden_connections
  if (standbys === 0 || server.synchronous_standby_names !== '') return unsynced
  return [
    ...unsynced,
    {
      kind: 'standby_asynchronous',
      setting: 'synchronous_standby_names',
      message: `PostgreSQL: synchronous_standby_names is empty, but ${describeStandbys(server)}. After a failover, pushes that were acknowledged shortly before it can be lost.`,
      remedy:
        'Set synchronous_standby_names on the server. With Patroni, set synchronous_mode: true.',
    },
  ]
}

/** Does not contain their number, which changes whenever one reconnects. */
function describeStandbys({ standbys }: ServerDurability): string {
  return standbys > 0
    ? 'there are standbys'
    : 'there are replication connections, probably of standbys (the hub may not read their state: GRANT pg_monitor to its role)'
}
