import { Select } from '@mantine/core'
import { usePlatforms } from '../../api/platforms.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'

/** The filter by platform. A link may refer to a removed platform. `clears` lists the parameters reset by a change. */
export function PlatformSelect({ clears = [] }: { clears?: readonly string[] }) {
  const [state, change] = useUrlState()
  const { data: platforms = [] } = usePlatforms()
  const choices = platforms.map(({ platform_name, display_title }) => ({
    value: platform_name,
    label: display_title,
  }))
  const chosen = state['platform']
  const isUnknown = chosen !== undefined && !choices.some(({ value }) => value === chosen)
  return (
    <Select
      label={TEXTS.platform}
      placeholder={TEXTS.all}
      size="xs"
      clearable
      searchable
      data={isUnknown ? [...choices, { value: chosen, label: chosen }] : choices}
      value={chosen ?? null}
      nothingFoundMessage={TEXTS.noMatchingPlatforms}
      onChange={(platform) => {
        const cleared = Object.fromEntries(['cursor', ...clears].map((name) => [name, null]))
        change({ ...cleared, platform })
      }}
    />
  )
}
