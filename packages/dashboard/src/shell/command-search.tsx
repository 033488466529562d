import { TEXTS } from '../texts.ts'
import '@mantine/spotlight/styles.css'
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionGroupData,
  useSpotlight,
} from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { snapshot } from '../api/live.ts'
import { firstRecordsQuery } from '../api/records.ts'
import { useStore } from '../lib/store.ts'
import { useCloseOnEscape } from '../lib/use-close-on-escape.ts'
import { PAGES } from './navigation.tsx'

const FIRST_FOUND = 5
const [store, spotlight] = createSpotlight()

/** Finds pages, platforms and records by a few letters. Opens whenever `openings` changes. */
export function CommandSearch({ openings }: { openings: number }) {
  useEffect(() => {
    if (openings > 0) spotlight.open()
  }, [openings])
  useCloseOnEscape(useSpotlight(store).opened, spotlight.close)
  const [text, setText] = useState('')
  const [query] = useDebouncedValue(text.trim(), 200)
  const navigate = useNavigate()
  const platforms = useStore(snapshot)?.platforms ?? []
  const titleOf = (name: string) =>
    platforms.find((one) => one.platform_name === name)?.display_title ?? name
  const found = useQuery(firstRecordsQuery(query, FIRST_FOUND))
  const matches = (label: string) => label.toLowerCase().includes(text.trim().toLowerCase())
  const groups: SpotlightActionGroupData[] = [
    {
      group: 'Pages',
      actions: PAGES.filter(({ label }) => matches(label)).map(({ to, label, icon: Icon }) => ({
        id: to,
        label,
        leftSection: <Icon size={18} stroke={1.6} />,
        onClick: () => void navigate({ to }),
      })),
    },
    {
      group: TEXTS.platforms,
      actions: platforms
        .filter((one) => text !== '' && matches(`${one.display_title} ${one.platform_name}`))
        .slice(0, FIRST_FOUND)
        .map((one) => ({
          id: `platform ${one.id}`,
          label: one.display_title,
          description: one.platform_name,
          onClick: () =>
            void navigate({ to: '/dashboard/platforms/$id', params: { id: String(one.id) } }),
        })),
    },
    {
      group: TEXTS.records,
      actions: (query === '' ? [] : (found.data?.records ?? [])).map((record) => ({
        id: `record ${record.record_id}`,
        label: record.full_name || record.reference_number,
        description: `${record.reference_number} · ${record.module_name} · ${titleOf(record.platform_name)}`,
        onClick: () =>
          void navigate({
            to: '/dashboard/records',
            search: { q: query, record: String(record.record_id) },
          }),
      })),
    },
    {
      group: 'More',
      actions:
        query === ''
          ? []
          : [
              {
                id: 'everywhere',
                label: `Search everywhere for “${query}”`,
                leftSection: <IconSearch size={18} stroke={1.6} />,
                onClick: () => void navigate({ to: '/dashboard/search', search: { query } }),
              },
            ],
    },
  ]
  return (
    <Spotlight
      store={store}
      actions={groups}
      filter={(_query, actions) => actions}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      attributes={{ content: { 'aria-label': TEXTS.search } }}
      nothingFound={<Text size="sm">{found.isFetching ? 'Searching…' : TEXTS.noResults}</Text>}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: 'Pages, platforms, records…',
        'aria-label': 'Pages, platforms, records',
      }}
    />
  )
}
