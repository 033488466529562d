import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { snapshot } from '../../api/live.ts'
import { Time } from '../../components/time.tsx'
import { useStore } from '../../lib/use-store.ts'

/** When the hub pulls next by itself. */
export function ScheduleHint() {
  const pull = useStore(snapshot)?.pull
  if (!pull) return null
  return (
    <Text size="sm" c="dimmed">
      {pull.schedule_paused ? (
        <>
          The schedule is paused. <Link to="/dashboard/pulls">Resume it</Link>
        </>
      ) : pull.next_run_at ? (
        <>
          Next by the schedule: <Time at={pull.next_run_at} />
        </>
      ) : (
        'No schedule: the hub pulls only when somebody asks it to.'
      )}
    </Text>
  )
}
