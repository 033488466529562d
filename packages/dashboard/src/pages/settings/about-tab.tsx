import { Anchor, Badge, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { snapshot } from '../../api/live.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { aboutQuery } from '../../api/settings.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Time } from '../../components/time.tsx'
import { formatBytes, formatDuration } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { Facts } from './facts.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** Version, database, node and health of the hub. */
export function AboutTab() {
  const found = useQuery(aboutQuery())
  const broadcasting = useStore(snapshot)?.broadcasting
  const error = errorInPlaceOfData(found)
  if (error) return <ErrorNotice error={error} onRetry={() => found.refetch()} />
  if (!found.data) return <LinesSkeleton lines={8} />
  const { about } = found.data
  return (
    <Stack maw={860}>
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
                <Time at={about.started_at} />
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
    </Stack>
  )
}
