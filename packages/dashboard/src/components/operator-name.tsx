import { Tooltip } from '@mantine/core'
import { useOperatorName } from '../api/operators.ts'

/**
 * Who did something: an operator by name, with the e-mail address on hover; a program as it is called in the
 * log. `by` is null where it was the hub itself.
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
