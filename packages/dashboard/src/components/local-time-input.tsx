import { TextInput, type TextInputProps } from '@mantine/core'
import { fromLocalInput, toLocalInput } from '../lib/local-time.ts'

/** An input for a timestamp, in the viewer's time zone. `onChange` receives null if the input is empty. */
export function LocalTimeInput({
  value,
  onChange,
  ...props
}: Omit<TextInputProps, 'type' | 'value' | 'onChange'> & {
  value: string | undefined
  onChange: (timestamp: string | null) => void
}) {
  return (
    <TextInput
      type="datetime-local"
      size="xs"
      {...props}
      value={toLocalInput(value)}
      onChange={({ currentTarget }) => onChange(fromLocalInput(currentTarget.value))}
    />
  )
}
