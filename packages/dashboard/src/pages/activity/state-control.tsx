import { SegmentedControl } from '@mantine/core'
import { useUrlState } from '../../lib/url-state.ts'

/** Narrows a list by a state, which stands in the URL; the first choice where none does. */
export function StateControl({
  label,
  choices,
}: {
  label: string
  choices: { value: string; label: string }[]
}) {
  const [state, change] = useUrlState()
  const first = choices[0]?.value ?? ''
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      data={choices}
      value={state['state'] ?? first}
      onChange={(chosen) => change({ state: chosen === first ? null : chosen, cursor: null })}
    />
  )
}
