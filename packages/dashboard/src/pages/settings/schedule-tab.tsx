import { Badge, Button, Code, Stack, Text } from '@mantine/core'
import type { Schedule } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
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
import { TEXTS } from './texts.tsx'

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
  const canPause = useHasRole('operator')
  const found = useQuery(scheduleQuery())
  const schedule = found.data?.schedule

  async function pause(paused: boolean): Promise<void> {
    await attempt(async () => {
      await pauseSchedule(paused)
      notify(paused ? TEXTS.schedulePausedAllNodes : TEXTS.scheduleResumed)
    })
  }

  return (
    <SettingsSection
      title={TEXTS.pullSchedule}
      description={TEXTS.pullScheduleDescription}
      action={
        schedule?.pattern && (
          <Button
            variant="default"
            disabled={!canPause}
            onClick={() => void pause(!schedule.paused)}
          >
            {schedule.paused ? TEXTS.resume : TEXTS.pause}
          </Button>
        )
      }
    >
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton />}
      {schedule && (
        <Facts
          label={TEXTS.pullSchedule}
          facts={[
            [TEXTS.state, <State key="state" schedule={schedule} />],
            [
              TEXTS.schedule,
              schedule.pattern ? (
                <span key="when">
                  {scheduleLabel(schedule.pattern)} <Code>{schedule.pattern}</Code>
                </span>
              ) : (
                TEXTS.noSchedule
              ),
            ],
            [
              TEXTS.nextScheduledPull,
              schedule.next_run_at ? <Time key="next" at={schedule.next_run_at} /> : '—',
            ],
            ...(schedule.paused
              ? [
                  [TEXTS.pausedBy, <OperatorName key="by" by={schedule.paused_by} />] satisfies [
                    string,
                    React.JSX.Element,
                  ],
                  [TEXTS.pausedSince, <Time key="since" at={schedule.paused_since} />] satisfies [
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
          {TEXTS.pausingRequiresOperatorRole}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {TEXTS.scheduleSetBy()}
      </Text>
    </SettingsSection>
  )
}

function State({ schedule }: { schedule: Schedule }) {
  const [color, label] = schedule.paused
    ? ['orange', TEXTS.paused]
    : schedule.pattern
      ? ['green', TEXTS.active]
      : ['gray', TEXTS.off]
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
    <SettingsSection title={TEXTS.retention} description={TEXTS.retentionDescription}>
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={6} />}
      {retention && (
        <Facts
          label={TEXTS.retention}
          facts={[
            ...Object.entries(retention.days).map(([noun, days]): [string, string] => [
              RETENTION_LABELS[noun] ?? noun,
              daysLabel(days),
            ]),
            [
              TEXTS.maximumNumberLogEntries,
              retention.activity_entries === 0
                ? TEXTS.unlimited
                : formatNumber(retention.activity_entries),
            ],
          ]}
        />
      )}
      <Text size="sm" c="dimmed">
        {TEXTS.retentionSetBy()}
      </Text>
    </SettingsSection>
  )
}
