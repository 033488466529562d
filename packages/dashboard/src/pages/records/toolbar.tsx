import { CloseButton, Menu, Select, TextInput, Title, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconSearch } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useModules, usePlatforms } from '../../api/platforms.ts'
import { useTabTitle } from '../../components/page-header.tsx'
import { addUnknown, moduleChoices, platformChoices } from '../../lib/choices.ts'
import { type UrlChanges, useUrlState } from '../../lib/url-state.ts'
import { useUrlText } from '../../lib/use-url-text.ts'
import { changeView } from './list-query.ts'
import classes from './records.module.css'

/** Module, platform and full-text search of the list, with its actions. */
export function Toolbar(props: {
  /** `about 1.2M records` that can be searched; empty while it is unknown. */
  total: string
  children: ReactNode
}) {
  const { total, children } = props
  const [state, change] = useUrlState()
  const { data: platforms = [] } = usePlatforms()
  const { platform = null, record_type = null, q = '' } = state
  const [text, setText] = useUrlText(q, (typed) =>
    change(changeView({ q: typed }), { replace: true }),
  )
  const modules = addUnknown(moduleChoices(useModules(platform)), record_type)
  const title = modules.find(({ value }) => value === record_type)?.label ?? 'Records'
  const platformTitle = platforms.find((one) => one.platform_name === platform)?.display_title
  useTabTitle(platformTitle === undefined ? title : `${title}, ${platformTitle}`)
  // Filters, sorting and columns of fields of one module do not apply to another.
  const changeModule = (selection: UrlChanges) => {
    const filters = Object.keys(state).filter((name) => name.startsWith('filter['))
    const order = state['sort']?.includes('data.') ? { sort: null } : {}
    change(
      changeView({
        ...Object.fromEntries(filters.map((name) => [name, null])),
        ...order,
        columns: null,
        facets: null,
        ...selection,
      }),
    )
  }
  return (
    <div className={classes['toolbar']}>
      <Menu position="bottom-start" shadow="md">
        <Title order={1} fz="h2">
          <Menu.Target>
            <UnstyledButton className={classes['module'] ?? ''} aria-label={`Module: ${title}`}>
              {title} <IconChevronDown size={16} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
        </Title>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          <Menu.Item onClick={() => changeModule({ record_type: null })}>All modules</Menu.Item>
          {modules.map(({ value, label }) => (
            <Menu.Item
              key={value}
              aria-current={value === record_type || undefined}
              onClick={() => changeModule({ record_type: value })}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Select
        className={classes['platform'] ?? ''}
        aria-label="Platform"
        placeholder="All platforms"
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'All platforms' }}
        data={addUnknown(platformChoices(platforms), platform)}
        value={platform}
        onChange={(value) => changeModule({ platform: value, record_type: null })}
        comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      />
      <TextInput
        className={classes['search'] ?? ''}
        aria-label="Search"
        placeholder={total === '' ? 'Search' : `Search ${total}`}
        title="Finds the beginnings of words in all values, and any part of three or more characters in names and references. Use quotes for a phrase."
        leftSection={<IconSearch size={16} />}
        rightSection={
          text !== '' && (
            <CloseButton size="sm" aria-label="Clear search" onClick={() => setText('')} />
          )
        }
        value={text}
        maxLength={256}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {children}
    </div>
  )
}
