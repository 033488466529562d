import { UnstyledButton } from '@mantine/core'
import classes from './filter-chip.module.css'

/** A filter that one click sets, with the number of rows that it leaves. */
export function FilterChip({
  label,
  count,
  isPressed,
  onClick,
}: {
  label: string
  count?: string
  isPressed: boolean
  onClick: () => void
}) {
  return (
    <UnstyledButton className={classes['chip'] ?? ''} aria-pressed={isPressed} onClick={onClick}>
      <span className={classes['label']}>{label}</span>
      {count !== undefined && <span className={classes['count']}>{count}</span>}
    </UnstyledButton>
  )
}
