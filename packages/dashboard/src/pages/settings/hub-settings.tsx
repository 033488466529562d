/** The schedule of pulls, the retention, and the recipients of alerts. */
import { Anchor, Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { snapshot } from '../../api/live.ts'
import { pauseSchedule, scheduleQuery } from '../../api/schedule.ts'
import { aboutQuery } from '../../api/settings.ts'
import { attempt, notify } from '../../components/confirm.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'
import { formatBytes, formatDuration } from '../../lib/format.ts'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { TestMailButton } from '../activity/alerts/alerts-tab.tsx'
import { Facts, LinesSkeleton, Row, SettingsSection } from './parts.tsx'
import { type Field, StoredForm } from './stored-form.tsx'

const PULLS: readonly Field[] = [
  {
    name: 'HUB_PULL_SCHEDULE',
    title: 'Pull',
    hint: 'All active platforms. “Off”: pulls start only on request.',
    kinds: ['minute', 'hour', 'day'],
  },
]

export function ScheduleSettings() {
  const canPause = useHasRole('operator')
  const found = useQuery(scheduleQuery())
  const zone = useQuery(aboutQuery()).data?.about.time_zone
  const pause = (paused: boolean) =>
    attempt(async () => {
      await pauseSchedule(paused)
      notify(paused ? 'Schedule paused on all nodes.' : 'Schedule resumed.')
    })
  return (
    <StoredForm fields={PULLS} action="Save the schedule">
      <Loaded query={found} skeleton={<LinesSkeleton lines={2} />}>
        {({ schedule: { pattern, paused, paused_by, paused_since, next_run_at } }) => (
          <>
            <Row
              title={TEXTS.state}
              hint={
                paused ? (
                  <>
                    Paused by <OperatorName by={paused_by} />, <Time at={paused_since} />.
                  </>
                ) : (
                  !canPause && 'Pausing requires the operator role.'
                )
              }
            >
              <StatusBadge
                status={paused ? 'attention' : pattern ? 'active' : 'inactive'}
                label={paused ? 'Paused' : pattern ? TEXTS.active : 'Off'}
              />
              {pattern && (
                <Button variant="default" disabled={!canPause} onClick={() => void pause(!paused)}>
                  {paused ? TEXTS.resume : TEXTS.pause}
                </Button>
              )}
            </Row>
            <Row title="Next scheduled pull" hint={pattern && (scheduleLabel(pattern) || pattern)}>
              {next_run_at ? <Time at={next_run_at} /> : '—'}
            </Row>
            <Row title="Time zone" hint="Of all schedules and of “today”: HUB_TIME_ZONE.">
              {zone ?? '…'}
            </Row>
          </>
        )}
      </Loaded>
    </StoredForm>
  )
}

/** A retention in days. */
const days = (name: string, title: string, hint: string): Field => ({
  name: `HUB_RETENTION_${name}_DAYS`,
  title,
  hint,
  suffix: 'days',
})
const RETENTION: readonly Field[] = [
  days('ACTIVITY', 'Activity', 'Also changes of manifests and resolved alerts.'),
  {
    name: 'HUB_RETENTION_ACTIVITY_LINES',
    title: 'Number of activity entries',
    hint: 'The newest are kept.',
    suffix: 'entries',
  },
  days('HISTORY', 'Record history', 'Earlier versions of records.'),
  days('PULLS', 'Pulls', 'Pulls and their tasks.'),
  days('REJECTED', 'Rejected pushes', 'After they were last received. Also counts of push errors.'),
  days('REVIEWS', 'Reviews', 'Closed reviews of missing records.'),
  days('COUNTERS', 'Hourly statistics', 'For charts and alerts. Alerts need 28 days.'),
  days('AUDIT', 'Audit log', 'Who did what, and from where.'),
]

export function RetentionSettings() {
  return <StoredForm fields={RETENTION} action="Save the retention" />
}

const MAIL: readonly Field[] = [
  {
    name: 'HUB_ALERT_TO',
    title: 'Recipients of alerts',
    hint: 'E-mail addresses, separated by commas, besides the operators who chose it in their account.',
  },
]

export function MailSettings() {
  return (
    <StoredForm fields={MAIL} action="Save the recipients">
      <Row
        title="Mail server and sender"
        hint="HUB_SMTP_URL and HUB_ALERT_FROM, where the hub is started. A test e-mail goes to all recipients."
        isWide
      >
        <TestMailButton />
      </Row>
    </StoredForm>
  )
}

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
            <Badge color={about.healthy ? 'green' : 'red'}>
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
