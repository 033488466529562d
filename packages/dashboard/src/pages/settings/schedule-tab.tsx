import { Badge, Button, Code, Stack, Text } from '@mantine/core'
import type { Schedule } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { pauseSchedule, scheduleQuery } from '../../api/schedule.ts'
import { mayActAs, session } from '../../api/session.ts'
import { aboutQuery } from '../../api/settings.ts'
import { attempt, tell } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { Time } from '../../components/time.tsx'
import { describeDays, describePattern, RETAINED } from '../../lib/describe-settings.ts'
import { formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/use-store.ts'
import { Facts } from './facts.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'

/** When the hub pulls by itself, and what it keeps how long. */
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
  const mayPause = mayActAs(useStore(session).operator?.role, 'operator')
  const found = useQuery(scheduleQuery())
  const schedule = found.data?.schedule

  async function pause(paused: boolean): Promise<void> {
    await attempt(async () => {
      await pauseSchedule(client, paused)
      tell(paused ? 'The schedule is paused, on all nodes.' : 'The schedule goes on.')
    })
  }

  return (
    <SettingsSection
      title="Schedule of pulls"
      description="The hub itself reads every platform by this schedule, so that nothing stays missing that was not pushed."
      action={
        schedule?.pattern && (
          <Button
            variant="default"
            disabled={!mayPause}
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
          label="Schedule of pulls"
          facts={[
            ['State', <State key="state" schedule={schedule} />],
            [
              'When',
              schedule.pattern ? (
                <span key="when">
                  {describePattern(schedule.pattern)} <Code>{schedule.pattern}</Code>
                </span>
              ) : (
                'Never; pulls start by hand'
              ),
            ],
            ['Next', schedule.next_run_at ? <Time key="next" at={schedule.next_run_at} /> : '–'],
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
      {!mayPause && (
        <Text size="sm" c="dimmed">
          Pausing takes the role operator.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Changed with <Code>HUB_PULL_SCHEDULE</Code>.
      </Text>
    </SettingsSection>
  )
}

function State({ schedule }: { schedule: Schedule }) {
  const [color, words] = schedule.paused
    ? ['orange', 'Paused']
    : schedule.pattern
      ? ['green', 'Running']
      : ['gray', 'Off']
  return (
    <Badge variant="light" color={color} tt="none">
      {words}
    </Badge>
  )
}

function RetentionSection() {
  const found = useQuery(aboutQuery())
  const retention = found.data?.about.retention
  return (
    <SettingsSection
      title="Retention"
      description="What is older is dropped in small steps. Records themselves are never dropped."
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={6} />}
      {retention && (
        <Facts
          label="Retention"
          facts={[
            ...Object.entries(retention.days).map(([noun, days]): [string, string] => [
              RETAINED[noun] ?? noun,
              describeDays(days),
            ]),
            [
              'Lines of activity at most',
              retention.activity_lines === 0
                ? 'Any number'
                : formatNumber(retention.activity_lines),
            ],
          ]}
        />
      )}
      <Text size="sm" c="dimmed">
        Changed with <Code>HUB_RETENTION_…</Code>; see the configuration in the documentation.
      </Text>
    </SettingsSection>
  )
}
