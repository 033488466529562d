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
import { TEXTS } from './texts.tsx'

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
        title={TEXTS.recordhubVersion(about.version)}
        action={
          <Badge variant="light" color={about.healthy ? 'green' : 'red'} tt="none">
            {about.healthy ? TEXTS.healthy : TEXTS.databaseNotWritable}
          </Badge>
        }
      >
        <Facts
          label={TEXTS.aboutThisHub}
          facts={[
            [TEXTS.database, `${ENGINES[about.engine]} ${about.engine_version}`],
            [TEXTS.dataSize, formatBytes(about.bytes)],
            [
              TEXTS.freeDiskSpace,
              about.disk_free_bytes === null
                ? TEXTS.managedDatabaseServer
                : formatBytes(about.disk_free_bytes),
            ],
            [TEXTS.node, about.node],
            [
              TEXTS.uptime,
              <span key="up">
                {TEXTS.uptimeSince(
                  formatDuration(Date.now() - Date.parse(about.started_at)),
                  <Time at={about.started_at} />,
                )}
              </span>,
            ],
            [TEXTS.timeZone, about.time_zone],
            [
              TEXTS.broadcasting,
              (broadcasting ?? about.broadcasting) ? TEXTS.on : TEXTS.broadcastingOff,
            ],
            [TEXTS.runtime, `Node.js ${about.node_version}`],
            [
              TEXTS.licences,
              <Anchor key="licenses" href="/assets/licenses.txt" size="sm">
                {TEXTS.thirdPartyLicences}
              </Anchor>,
            ],
          ]}
        />
      </SettingsSection>
    </Stack>
  )
}
