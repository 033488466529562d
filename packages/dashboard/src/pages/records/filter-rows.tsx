import {
  Anchor,
  Box,
  CloseButton,
  Group,
  Menu,
  Popover,
  Skeleton,
  UnstyledButton,
} from '@mantine/core'
import type { DataField, Facet } from '@recordhub/protocol'
import { IconChevronDown, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { facetsQuery } from '../../api/records.ts'
import chips from '../../components/filter-chip.module.css'
import { FilterChip } from '../../components/filter-chip.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { formatKey, formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { type Column, filterOf, type TreeColumn } from './columns.ts'
import { FilterForm } from './filter-form.tsx'
import {
  countableFields,
  emptyFilter,
  type Filter,
  filterLabel,
  filtersOf,
  replaceFilter,
  toggleFacet,
  toggleValue,
  valuesOfFilter,
} from './filters.ts'
import { clearFilters, filterQueryOf } from './list-query.ts'
import classes from './records.module.css'

/** A new filter, for a column if one was selected. */
export type NewFilter = { column: Column | null }

/** Facets with counts, the other filters, and a button to add one. */
export function FilterRows(props: {
  columns: readonly TreeColumn[]
  /** Of the module; empty for several. */
  fields: readonly DataField[]
  /** The paths of the facets. */
  counted: readonly string[]
  setCounted: (paths: readonly string[]) => void
  newFilter: NewFilter | null
  setNewFilter: (newFilter: NewFilter | null) => void
}) {
  const { columns, fields, counted, setCounted, newFilter, setNewFilter } = props
  const [state, change] = useUrlState()
  const filters = filtersOf(state)
  const { data, isLoading } = useQuery(facetsQuery(filterQueryOf(state), counted))
  const loading = isLoading ? counted : []
  const facets = (data?.facets ?? []).filter(({ values }) => values !== null && values.length > 1)
  const shown = new Set(facets.map(({ path }) => filterOf(path)))
  const labelOf = (path: string) => {
    const field = fields.find((one) => one.path === path)
    const column = columns.find(({ id }) => id === `data.${path}`)
    return column?.label ?? (field?.label || formatKey(field?.name ?? path))
  }
  const isOfFacet = (filter: Filter) =>
    filter.kind === 'condition' && shown.has(filter.key) && valuesOfFilter(filter) !== null
  const others = filters.filter((filter) => !isOfFacet(filter))
  const set = (before: Filter | null, after: Filter | null) =>
    change(replaceFilter(state, before, after))
  const end = (
    <>
      {others.map((filter) => (
        <OneFilter
          key={JSON.stringify(filter)}
          filter={filter}
          columns={columns}
          onChange={(after) => set(filter, after)}
        />
      ))}
      <FilterPopover
        columns={columns}
        first={newFilter?.column ? emptyFilter(newFilter.column) : null}
        onDone={(filter) => set(null, filter)}
        isOpen={newFilter !== null}
        setOpen={(isOpen) => setNewFilter(isOpen ? { column: null } : null)}
        look="chip"
        label="Add filter"
      >
        <IconPlus size={14} aria-hidden /> Filter
      </FilterPopover>
      <FacetsMenu fields={fields} counted={counted} onChange={setCounted} labelOf={labelOf} />
      {filters.length > 0 && (
        <Anchor
          component="button"
          fz="xs"
          onClick={() => change({ ...clearFilters(state), q: state['q'] })}
        >
          Clear filters
        </Anchor>
      )}
    </>
  )
  return (
    <Box role="group" aria-label="Filters">
      {facets.map((facet, index) => (
        <FacetRow
          key={facet.path}
          facet={facet}
          label={labelOf(facet.path)}
          filter={filters.find(
            (one) => one.kind === 'condition' && one.key === filterOf(facet.path),
          )}
          isComplete={data?.complete ?? true}
          onToggle={set}
        >
          {index === facets.length - 1 && end}
        </FacetRow>
      ))}
      {loading.map((path, index) => (
        <div key={path} className={classes['facet']}>
          <span className={classes['facetLabel']}>{labelOf(path)}</span>
          {SKELETON_CHIPS.map((width) => (
            <Skeleton key={width} h={24} w={width} radius="xl" />
          ))}
          {index === loading.length - 1 && end}
        </div>
      ))}
      {facets.length + loading.length === 0 && <div className={classes['facet']}>{end}</div>}
    </Box>
  )
}

/** Chooses the fields that are counted. */
function FacetsMenu(props: {
  fields: readonly DataField[]
  counted: readonly string[]
  onChange: (paths: readonly string[]) => void
  labelOf: (path: string) => string
}) {
  const { fields, counted, onChange, labelOf } = props
  const countable = countableFields(fields)
  if (countable.length < 2) return null
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className={chips['chip'] ?? ''}>
          Count by <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <Menu.Label>Fields of few values, two at a time</Menu.Label>
        {countable.map(({ path }) => (
          <Menu.CheckboxItem
            key={path}
            checked={counted.includes(path)}
            // The menu follows the last row, which changes.
            closeMenuOnClick
            onChange={() => onChange(toggleFacet(counted, path))}
          >
            {labelOf(path)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const MAX_CHIPS = 5
const SKELETON_CHIPS = [96, 88, 104, 72]

/** The values of a field with few values. A chosen value narrows the list; a second one widens it again. */
function FacetRow(props: {
  facet: Facet
  label: string
  filter: Filter | undefined
  isComplete: boolean
  onToggle: (before: Filter | null, after: Filter | null) => void
  children: ReactNode
}) {
  const { facet, label, filter, isComplete, onToggle, children } = props
  const { path, values } = facet
  const all = values ?? []
  const chosen = filter?.kind === 'condition' ? (valuesOfFilter(filter) ?? []) : []
  const before = filter && chosen.length > 0 ? filter : null
  const toggle = (value: string) => onToggle(before, toggleValue(filterOf(path), chosen, value))
  const isChosen = (value: string) => chosen.includes(value)
  // A chosen value stays visible.
  const first = all.filter(({ value }, index) => index < MAX_CHIPS || isChosen(value))
  const rest = all.filter((one) => !first.includes(one))
  const countOf = (records: number) => `${formatNumber(records)}${isComplete ? '' : '+'}`
  return (
    <Box className={classes['facet'] ?? ''} role="group" aria-label={label}>
      <span className={classes['facetLabel']} title={label}>
        {label}
      </span>
      {first.map(({ value, records }) => (
        <FilterChip
          key={value}
          label={nameOf(value)}
          count={countOf(records)}
          isPressed={isChosen(value)}
          onClick={() => toggle(value)}
        />
      ))}
      {rest.length > 0 && (
        <Menu position="bottom-start" shadow="md">
          <Menu.Target>
            <UnstyledButton className={chips['chip'] ?? ''}>
              {rest.length} more <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
            {rest.map(({ value, records }) => (
              <Menu.Item
                key={value}
                rightSection={<span className={chips['count']}>{countOf(records)}</span>}
                onClick={() => toggle(value)}
              >
                {nameOf(value)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {children}
    </Box>
  )
}

function nameOf(value: string): string {
  if (value === 'true') return 'Yes'
  return value === 'false' ? 'No' : value
}

function OneFilter(props: {
  filter: Filter
  columns: readonly TreeColumn[]
  onChange: (after: Filter | null) => void
}) {
  const { filter, columns, onChange } = props
  const [isOpen, setOpen] = useState(false)
  const label = filterLabel(filter, columns)
  return (
    <Group gap={0} wrap="nowrap" maw="100%" className={chips['filter'] ?? ''}>
      {filter.kind === 'review' ? (
        <LinkButton
          size="compact-xs"
          variant="transparent"
          to="/dashboard/inbox"
          search={{ tab: 'missing', review: filter.value }}
        >
          {label}
        </LinkButton>
      ) : (
        <FilterPopover
          columns={columns}
          first={filter}
          onDone={onChange}
          isOpen={isOpen}
          setOpen={setOpen}
          look="edit"
          label={`Edit filter: ${label}`}
        >
          {label}
        </FilterPopover>
      )}
      <CloseButton
        size="xs"
        c="inherit"
        aria-label={`Remove filter: ${label}`}
        onClick={() => onChange(null)}
      />
    </Group>
  )
}

/** A button that opens the form of a filter. */
function FilterPopover(
  props: {
    isOpen: boolean
    setOpen: (isOpen: boolean) => void
    look: 'chip' | 'edit'
    label: string
    children: ReactNode
  } & ComponentProps<typeof FilterForm>,
) {
  const { isOpen, setOpen, look, label, children, columns, first, onDone } = props
  return (
    <Popover
      position="bottom-start"
      trapFocus
      shadow="md"
      width={320}
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <UnstyledButton
          className={chips[look] ?? ''}
          aria-label={label}
          onClick={() => setOpen(!isOpen)}
        >
          {children}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm
          columns={columns}
          first={first}
          onDone={(filter) => {
            setOpen(false)
            onDone(filter)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
