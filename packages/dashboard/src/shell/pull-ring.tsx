import { RingProgress, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { storedLabel } from '../pages/pulls/pull-labels.ts'
import { useSnapshotPull } from '../pages/pulls/use-snapshot-pull.ts'
import classes from './shell.module.css'

/** The progress of the running pull. */
export function PullRing() {
  const { pull } = useSnapshotPull()
  if (pull?.finished_at !== null) return null
  const percent = pull.progress.percent ?? 0
  const label = [`Pull running: ${percent} %`, storedLabel(pull)].filter(Boolean).join(', ')
  return (
    <Tooltip label={label}>
      <Link
        to="/dashboard/pulls/$id"
        params={{ id: String(pull.id) }}
        aria-label={label}
        className={classes['ring']}
      >
        <RingProgress
          size={18}
          thickness={2.5}
          roundCaps
          rootColor="var(--line-strong)"
          sections={[{ value: percent, color: 'var(--accent-text)' }]}
        />
        {percent} %
      </Link>
    </Tooltip>
  )
}
