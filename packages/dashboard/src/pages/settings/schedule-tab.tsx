import { Badge, Button, Code, Stack, Text } from '@mantine/core'
import type { Schedule } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { pauseSchedule, scheduleQuery } from '../../api/schedule.ts'
import { aboutQuery } from '../../api/settings.ts'
import { attempt, notify } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { Time } from '../../components/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { daysLabel, RETENTION_LABELS, scheduleLabel } from '../../lib/settings-labels.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { Facts } from './facts.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'

/** The schedule of pulls, and the retention periods. */
export function ScheduleTab() {
  return (
    <Stack maw={860}>
      <ScheduleSection />
      <RetentionSection />
    </Stack>
  )
}

function ScheduleSection() {
  const client = useQueryClient()
  const canPause = useHasRole('operator')
  const found = useQuery(scheduleQuery())
  const schedule = found.data?.schedule

  async function pause(paused: boolean): Promise<void> {
    await attempt(async () => {
      await pauseSchedule(client, paused)
      notify(paused ? 'Schedule paused on all nodes.' : 'Schedule resumed.')
    })
  }

  return (
    <SettingsSection
      title="Pull schedule"
      description="The hub pulls all active platforms on this schedule, to receive records that were not pushed."
      action={
        schedule?.pattern && (
          <Button
            variant="default"
            disabled={!canPause}
            onClick={() => void pause(!schedule.paused)}
          >
            {schedule.paused ? 'Resume' : 'Pause'}
          </Button>
        )
      }
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton />}
      {schedule && (
        <Facts
          label="Pull schedule"
          facts={[
            ['State', <State key="state" schedule={schedule} />],
            [
              'Schedule',
              schedule.pattern ? (
                <span key="when">
                  {scheduleLabel(schedule.pattern)} <Code>{schedule.pattern}</Code>
                </span>
              ) : (
                'None; pulls start only on request'
              ),
            ],
            [
              'Next scheduled pull',
              schedule.next_run_at ? <Time key="next" at={schedule.next_run_at} /> : '—',
            ],
            ...(schedule.paused
              ? [
                  ['Paused by', <OperatorName key="by" by={schedule.paused_by} />] satisfies [
                    string,
                    React.JSX.Element,
                  ],
                  ['Paused since', <Time key="since" at={schedule.paused_since} />] satisfies [
                    string,
                    React.JSX.Element,
                  ],
                ]
              : []),
          ]}
        />
      )}
      {!canPause && (
        <Text size="sm" c="dimmed">
          Pausing requires the operator role.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Set by <Code>HUB_PULL_SCHEDULE</Code>.
      </Text>
    </SettingsSection>
  )
}

function State({ schedule }: { schedule: Schedule }) {
  const [color, label] = schedule.paused
    ? ['orange', 'Paused']
    : schedule.pattern
      ? ['green', 'Active']
      : ['gray', 'Off']
  return (
    <Badge variant="light" color={color} tt="none">
      {label}
    </Badge>
  )
}

function RetentionSection() {
  const found = useQuery(aboutQuery())
  const retention = found.data?.about.retention
  return (
    <SettingsSection
      title="Retention"
      description="Older data is deleted gradually. Records are never deleted by retention."
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={6} />}
      {retention && (
        <Facts
          label="Retention"
          facts={[
            ...Object.entries(retention.days).map(([noun, days]): [string, string] => [
              RETENTION_LABELS[noun] ?? noun,
              daysLabel(days),
            ]),
            [
              'Maximum number of log entries',
              retention.activity_lines === 0 ? 'Unlimited' : formatNumber(retention.activity_lines),
            ],
          ]}
        />
      )}
      <Text size="sm" c="dimmed">
        Set by <Code>HUB_RETENTION_…</Code>. See the configuration reference.
      </Text>
    </SettingsSection>
  )
}
