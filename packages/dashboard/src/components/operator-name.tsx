import { Tooltip } from '@mantine/core'
import { useOperatorName } from '../api/operators.ts'

/**
 * The actor of an action: an operator by name, with the e-mail address on hover; a program by its name in the log. `by`
 * is null for the hub itself.
 */
export function OperatorName({ by }: { by: string | null }) {
  const name = useOperatorName(by)
  if (by === null) return 'the hub'
  if (name === null) return by
  return (
    <Tooltip label={by}>
      <span>{name}</span>
    </Tooltip>
  )
}
