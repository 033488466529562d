import { RingProgress, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { storedLabel } from '../pages/pulls/pull-labels.ts'
import { useSnapshotPull } from '../pages/pulls/use-snapshot-pull.ts'
import { TEXTS } from '../texts.ts'

/** The progress of the running pull. */
export function PullRing() {
  const { pull } = useSnapshotPull()
  if (pull?.finished_at !== null) return null
  const { id } = pull
  const percent = pull.progress.percent ?? 0
  const label = TEXTS.pullRunning(percent, storedLabel(pull))
  return (
    <Tooltip label={label}>
      <UnstyledButton
        aria-label={label}
        renderRoot={(props) => (
          <Link to="/dashboard/pulls/$id" params={{ id: String(id) }} {...props} />
        )}
      >
        <RingProgress
          size={38}
          thickness={4}
          roundCaps
          sections={[{ value: percent, color: 'harbour' }]}
          label={
            <Text ta="center" fz={9}>
              {percent}
            </Text>
          }
        />
      </UnstyledButton>
    </Tooltip>
  )
}
