import { Link } from '@tanstack/react-router'
import { snapshot } from '../../api/live.ts'
import { Time } from '../../components/time.tsx'
import { useStore } from '../../lib/use-store.ts'

/** When the next scheduled pull starts. */
export function ScheduleHint() {
  const pull = useStore(snapshot)?.pull
  if (!pull) return null
  if (pull.schedule_paused) {
    return (
      <>
        The schedule is paused. <Link to="/dashboard/pulls">Resume it</Link>
      </>
    )
  }
  return pull.next_run_at ? (
    <>
      Next scheduled pull: <Time at={pull.next_run_at} />
    </>
  ) : (
    'No schedule: pulls start only on request.'
  )
}
