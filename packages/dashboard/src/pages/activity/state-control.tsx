import { SegmentedControl } from '@mantine/core'
import { useUrlState } from '../../lib/url-state.ts'

/** The filter by state, stored in the URL. The first choice is the default. */
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
