import { TextInput } from '@mantine/core'
import { fromLocalInput, toLocalInput } from '../lib/local-time.ts'

/** An input for a timestamp, in the viewer's time zone. `onChange` receives null if the input is empty. */
export function LocalTimeInput({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (timestamp: string | null) => void
}) {
  return (
    <TextInput
      type="datetime-local"
      size="xs"
      label={label}
      value={toLocalInput(value)}
      onChange={({ currentTarget }) => onChange(fromLocalInput(currentTarget.value))}
    />
  )
}
