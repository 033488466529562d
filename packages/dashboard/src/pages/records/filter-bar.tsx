import { Button, CloseButton, Group, Popover } from '@mantine/core'
import { IconFilterPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { LinkButton } from '../../components/link-button.tsx'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'
import { FilterForm } from './filter-form.tsx'
import {
  type EditableFilter,
  emptyFilter,
  type Filter,
  filtersOf,
  replaceFilter,
  wordsOfFilter,
} from './filters.ts'
import { clearFilters } from './list-query.ts'

type Change = (changes: UrlChanges) => void
/** A filter that is being added, of a column where one was chosen. */
export type NewFilter = { column: Column | null }

/** The filters that hold, each of which can be changed or taken away, and a way to add one. */
export function FilterBar({
  state,
  change,
  columns,
  adding,
  setAdding,
}: {
  state: UrlState
  change: Change
  columns: readonly Column[]
  adding: NewFilter | null
  setAdding: (adding: NewFilter | null) => void
}) {
  const filters = filtersOf(state)
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {filters.map((filter) => (
        <OneFilter
          key={JSON.stringify(filter)}
          filter={filter}
          columns={columns}
          onChange={(after) => change(replaceFilter(filter, after))}
        />
      ))}
      <FilterButton
        columns={columns}
        adding={adding}
        setAdding={setAdding}
        onAdd={(filter) => change(replaceFilter(null, filter))}
      />
      {filters.length > 1 && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => change({ ...clearFilters(state), q: state['q'] })}
        >
          Clear filters
        </Button>
      )}
    </Group>
  )
}

function OneFilter({
  filter,
  columns,
  onChange,
}: {
  filter: Filter
  columns: readonly Column[]
  onChange: (after: Filter | null) => void
}) {
  const words = wordsOfFilter(filter, columns)
  return (
    <Group gap={0} wrap="nowrap" maw="100%">
      {filter.kind === 'review' ? (
        <LinkButton
          size="xs"
          variant="light"
          miw={0}
          to="/dashboard/activity"
          search={{ tab: 'missing', review: filter.value }}
        >
          {words}
        </LinkButton>
      ) : (
        <EditFilter filter={filter} words={words} columns={columns} onChange={onChange} />
      )}
      <CloseButton
        size="sm"
        aria-label={`Remove the filter: ${words}`}
        onClick={() => onChange(null)}
      />
    </Group>
  )
}

function EditFilter({
  filter,
  words,
  columns,
  onChange,
}: {
  filter: EditableFilter
  words: string
  columns: readonly Column[]
  onChange: (after: EditableFilter) => void
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      trapFocus
      withArrow
      shadow="md"
      width={320}
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="light"
          miw={0}
          onClick={() => setOpen(!isOpen)}
          aria-label={`Change the filter: ${words}`}
        >
          {words}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm
          columns={columns}
          first={filter}
          onDone={(after) => {
            setOpen(false)
            onChange(after)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

function FilterButton({
  columns,
  adding,
  setAdding,
  onAdd,
}: {
  columns: readonly Column[]
  adding: NewFilter | null
  setAdding: (adding: NewFilter | null) => void
  onAdd: (filter: Filter) => void
}) {
  return (
    <Popover
      opened={adding !== null}
      onChange={(isOpen) => setAdding(isOpen ? { column: null } : null)}
      position="bottom-start"
      trapFocus
      withArrow
      shadow="md"
      width={320}
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFilterPlus size={14} />}
          onClick={() => setAdding(adding ? null : { column: null })}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm
          columns={columns}
          first={adding?.column ? emptyFilter(adding.column) : null}
          onDone={(filter) => {
            setAdding(null)
            onAdd(filter)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
