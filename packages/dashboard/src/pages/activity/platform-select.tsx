import { Select } from '@mantine/core'
import { usePlatforms } from '../../api/platforms.ts'
import { useUrlState } from '../../lib/url-state.ts'

/** Narrows a list to one platform; also to one that is gone, where a link says so. */
export function PlatformSelect({ forget = [] }: { forget?: readonly string[] }) {
  const [state, change] = useUrlState()
  const { data: platforms = [] } = usePlatforms()
  const choices = platforms.map(({ platform_name, display_title }) => ({
    value: platform_name,
    label: display_title,
  }))
  const chosen = state['platform']
  const isGone = chosen !== undefined && !choices.some(({ value }) => value === chosen)
  return (
    <Select
      label="Platform"
      placeholder="All"
      size="xs"
      clearable
      searchable
      data={isGone ? [...choices, { value: chosen, label: chosen }] : choices}
      value={chosen ?? null}
      nothingFoundMessage="No such platform"
      onChange={(platform) => {
        const forgotten = Object.fromEntries(['cursor', ...forget].map((name) => [name, null]))
        change({ ...forgotten, platform })
      }}
    />
  )
}
