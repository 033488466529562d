import { CloseButton, Group, Select, TextInput } from '@mantine/core'
import type { Platform } from '@recordhub/protocol'
import { IconSearch } from '@tabler/icons-react'
import { addUnknown, moduleChoices } from '../../lib/choices.ts'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'
import { useUrlText } from '../../lib/use-url-text.ts'
import { changeView } from './list-query.ts'
import { TEXTS } from './texts.tsx'

/** Platform, module and full-text search. */
export function ListControls({
  state,
  change,
  platforms,
}: {
  state: UrlState
  change: (changes: UrlChanges, options?: { replace?: boolean }) => void
  platforms: readonly Platform[]
}) {
  const { platform = null, record_type = null, q = '' } = state
  const [text, setText] = useUrlText(q, (typed) =>
    change(changeView({ q: typed }), { replace: true }),
  )
  const modules = moduleChoices(platforms, platform)
  // Filters and sorting by fields of one module do not apply to another.
  const changeModule = (selection: UrlChanges) => {
    const filters = Object.keys(state).filter((name) => name.startsWith('filter['))
    const order = state['sort']?.includes('data.') ? { sort: null } : {}
    change(
      changeView({
        ...Object.fromEntries(filters.map((name) => [name, null])),
        ...order,
        ...selection,
      }),
    )
  }
  return (
    <Group gap="sm" align="flex-end" mb="sm">
      <Select
        label={TEXTS.platform}
        placeholder={TEXTS.allPlatforms}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': TEXTS.allPlatforms }}
        data={addUnknown(
          platforms.map((one) => ({ value: one.platform_name, label: one.display_title })),
          platform,
        )}
        value={platform}
        onChange={(value) => changeModule({ platform: value, record_type: null })}
        w={{ base: '100%', xs: 200 }}
      />
      <Select
        label={TEXTS.module}
        placeholder={TEXTS.allModules}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': TEXTS.allModules }}
        data={addUnknown(modules, record_type)}
        value={record_type}
        onChange={(value) => changeModule({ record_type: value })}
        w={{ base: '100%', xs: 200 }}
      />
      <TextInput
        label={TEXTS.search}
        placeholder={TEXTS.searchPlaceholder}
        title={TEXTS.searchHint}
        leftSection={<IconSearch size={16} />}
        rightSection={
          text !== '' && <CloseButton aria-label={TEXTS.clearSearch} onClick={() => setText('')} />
        }
        value={text}
        maxLength={256}
        onChange={(event) => setText(event.currentTarget.value)}
        flex={1}
        miw={220}
      />
    </Group>
  )
}
