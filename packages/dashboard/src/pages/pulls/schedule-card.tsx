import { Button, Group, Paper, Skeleton, Text, Title } from '@mantine/core'
import type { Schedule } from '@recordhub/protocol'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { pauseSchedule, scheduleQuery } from '../../api/schedule.ts'
import { attempt } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { Time } from '../../components/time.tsx'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from './texts.tsx'

/** The schedule of pulls, with a button to pause it. */
export function ScheduleCard() {
  const schedule = useQuery(scheduleQuery())
  const { data, refetch } = schedule
  const error = errorInPlaceOfData(schedule)
  if (error) {
    return <ErrorNotice error={error} onRetry={refetch} title={TEXTS.couldNotLoadSchedule} />
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={TEXTS.schedule}>
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2} fz="md">
            {TEXTS.schedule}
          </Title>
          {data ? <ScheduleText schedule={data.schedule} /> : <Skeleton height={22} width={260} />}
        </div>
        {data?.schedule.pattern && <PauseButton isPaused={data.schedule.paused} />}
      </Group>
    </Paper>
  )
}

function ScheduleText({ schedule }: { schedule: Schedule }) {
  const { pattern, paused, paused_since, paused_by, next_run_at } = schedule
  if (pattern === null) {
    return <Text size="sm">{TEXTS.scheduleOff}</Text>
  }
  if (paused) {
    return (
      <Text size="sm">
        {TEXTS.schedulePausedBySince(<OperatorName by={paused_by} />, <Time at={paused_since} />)}
      </Text>
    )
  }
  return (
    <Text size="sm">
      {scheduleLabel(pattern) || TEXTS.cronPattern(pattern)}.{' '}
      {next_run_at && TEXTS.nextScheduledPull}
      {next_run_at && <Time at={next_run_at} />}
    </Text>
  )
}

function PauseButton({ isPaused }: { isPaused: boolean }) {
  const canOperate = useHasRole('operator')
  const [isSending, setSending] = useState(false)
  async function change() {
    setSending(true)
    await attempt(() => pauseSchedule(!isPaused))
    setSending(false)
  }
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.requiresOperatorRole}
      </Text>
    )
  }
  return (
    <Button
      variant={isPaused ? 'filled' : 'default'}
      leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
      loading={isSending}
      onClick={change}
    >
      {isPaused ? TEXTS.resume : TEXTS.pause}
    </Button>
  )
}
