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
  filterLabel,
  filtersOf,
  replaceFilter,
} from './filters.ts'
import { clearFilters } from './list-query.ts'
import { TEXTS } from './texts.tsx'

type Change = (changes: UrlChanges) => void
/** A new filter, for a column if one was selected. */
export type NewFilter = { column: Column | null }

/** The active filters, each with buttons to edit and remove it, and a button to add one. */
export function FilterBar({
  state,
  change,
  columns,
  newFilter,
  setNewFilter,
}: {
  state: UrlState
  change: Change
  columns: readonly Column[]
  newFilter: NewFilter | null
  setNewFilter: (newFilter: NewFilter | null) => void
}) {
  const filters = filtersOf(state)
  return (
    <Group gap="xs" role="group" aria-label={TEXTS.filters}>
      {filters.map((filter) => (
        <OneFilter
          key={JSON.stringify(filter)}
          filter={filter}
          columns={columns}
          onChange={(after) => change(replaceFilter(state, filter, after))}
        />
      ))}
      <FilterButton
        columns={columns}
        newFilter={newFilter}
        setNewFilter={setNewFilter}
        onAdd={(filter) => change(replaceFilter(state, null, filter))}
      />
      {filters.length > 1 && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => change({ ...clearFilters(state), q: state['q'] })}
        >
          {TEXTS.clearFilters}
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
  const label = filterLabel(filter, columns)
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
          {label}
        </LinkButton>
      ) : (
        <EditFilter filter={filter} label={label} columns={columns} onChange={onChange} />
      )}
      <CloseButton
        size="sm"
        aria-label={TEXTS.removeFilter(label)}
        onClick={() => onChange(null)}
      />
    </Group>
  )
}

function EditFilter({
  filter,
  label,
  columns,
  onChange,
}: {
  filter: EditableFilter
  label: string
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
          aria-label={TEXTS.editFilter(label)}
        >
          {label}
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
  newFilter,
  setNewFilter,
  onAdd,
}: {
  columns: readonly Column[]
  newFilter: NewFilter | null
  setNewFilter: (newFilter: NewFilter | null) => void
  onAdd: (filter: Filter) => void
}) {
  return (
    <Popover
      opened={newFilter !== null}
      onChange={(isOpen) => setNewFilter(isOpen ? { column: null } : null)}
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
          onClick={() => setNewFilter(newFilter ? null : { column: null })}
        >
          {TEXTS.addFilter}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm
          columns={columns}
          first={newFilter?.column ? emptyFilter(newFilter.column) : null}
          onDone={(filter) => {
            setNewFilter(null)
            onAdd(filter)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
