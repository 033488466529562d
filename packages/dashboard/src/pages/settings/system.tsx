import { Anchor, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { snapshot } from '../../api/live.ts'
import { aboutQuery } from '../../api/settings.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { formatBytes, formatDuration } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { Facts, LinesSkeleton, SettingsSection } from './parts.tsx'

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** Version, database, node and health of the hub. */
export function SystemSettings() {
  const broadcasting = useStore(snapshot)?.broadcasting
  return (
    <Loaded query={useQuery(aboutQuery())} skeleton={<LinesSkeleton lines={8} />}>
      {({ about }) => (
        <SettingsSection
          title={`Recordhub ${about.version}`}
          action={
            <Badge variant="light" color={about.healthy ? 'green' : 'red'} tt="none">
              {about.healthy ? 'Healthy' : 'Database not writable'}
            </Badge>
          }
        >
          <Facts
            label="About this hub"
            facts={[
              ['Database', `${ENGINES[about.engine]} ${about.engine_version}`],
              ['Data size', formatBytes(about.bytes)],
              [
                'Free disk space',
                about.disk_free_bytes === null
                  ? 'Managed by the database server'
                  : formatBytes(about.disk_free_bytes),
              ],
              ['Node', about.node],
              [
                'Uptime',
                <span key="up">
                  {formatDuration(Date.now() - Date.parse(about.started_at))}, since{' '}
                  {<Time at={about.started_at} />}
                </span>,
              ],
              ['Time zone', about.time_zone],
              [
                'Broadcasting',
                (broadcasting ?? about.broadcasting) ? 'On' : 'Off: pages refresh every 10 s',
              ],
              ['Runtime', `Node.js ${about.node_version}`],
              [
                'Licences',
                <Anchor key="licenses" href="/assets/licenses.txt" size="sm">
                  Third-party licences
                </Anchor>,
              ],
            ]}
          />
        </SettingsSection>
      )}
    </Loaded>
  )
}
