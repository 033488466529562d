import { Box, Button, SegmentedControl, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { findFilterProblem } from '@recordhub/protocol/field-filter'
import { type FormEvent, useState } from 'react'
import { LocalTimeInput } from '../../components/local-time-input.tsx'
import { type Column, findColumns, MAX_CHOICES, type TreeColumn } from './columns.ts'
import {
  type ConditionFilter,
  checkOf,
  type EditableFilter,
  firstOperation,
  isInstant,
  OPERATIONS,
  operationsFor,
  takesValue,
} from './filters.ts'

/** The value of an input for a date, which shows no other text. */
const DAY = /^\d{4}-\d\d-\d\d$/

/** Filters that are not columns. */
const STATES = [
  { value: 'state incomplete', label: 'Incomplete records' },
  { value: 'state missing', label: 'Missing records' },
  { value: 'state changed_since', label: 'Updated since' },
]

/** A form for one filter: column, condition and value. */
export function FilterForm(props: {
  columns: readonly TreeColumn[]
  /** The initial filter; null for the default. */
  first: EditableFilter | null
  onDone: (filter: EditableFilter) => void
}) {
  const { columns, first, onDone } = props
  const [draft, setDraft] = useState(() => draftOf(first, columns))
  const { target, operation, value, until, values } = draft
  const edit = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  /** What is wrong with each text, since the form was submitted. */
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const column = columns.find((one) => one.filter === target)
  const kind = column?.kind ?? 'text'
  const isState = target.startsWith('state ')
  const isChangedSince = target === 'state changed_since'
  const isFlag = isState && !isChangedSince
  const isTime = isChangedSince || (column !== undefined && isInstant(column))
  const isRange = !isState && operation === 'between'
  /** A text can equal the empty text. */
  const canBeEmpty = kind === 'text' && operation === 'is'
  const isDay = kind === 'date' && operation !== 'contains' && operation !== 'starts'
  const isList = !isState && operation === 'in'
  const needsValue = isChangedSince || (!isState && takesValue(operation))

  function submit(event: FormEvent) {
    event.preventDefault()
    event.stopPropagation()
    if (isChangedSince) return onDone({ kind: 'text', name: 'changed_since', value })
    if (isFlag) {
      const name = target === 'state missing' ? 'missing' : 'incomplete'
      return onDone({ kind: 'flag', name, value: value !== 'false' })
    }
    const found = new Map(textsOf().flatMap(problemOf))
    setProblems(found)
    if (found.size > 0) return
    const texts = { value: value.trim(), until: until.trim(), values: isList ? values : [] }
    onDone({ kind: 'condition', key: target, operation, ...texts })
  }

  function textsOf(): readonly string[] {
    if (!needsValue) return []
    if (isList) return values.length === 0 ? [''] : values
    return isRange ? [value, until] : [value]
  }

  function problemOf(text: string): [string, string][] {
    const trimmed = text.trim()
    if (trimmed === '' && !canBeEmpty) return [[text, 'Enter a value.']]
    const { kind: filterKind, test } = checkOf(column, operation)
    const problem = findFilterProblem(filterKind, test, trimmed)
    return problem === null ? [] : [[text, `The value ${problem}.`]]
  }

  const input = (label: string, text: string, set: (text: string) => void) => {
    const props = {
      label,
      required: !canBeEmpty,
      value: text,
      error: problems.get(text),
      'data-autofocus': (first !== null && text === value) || undefined,
    }
    return isTime ? (
      <LocalTimeInput {...props} size="sm" onChange={(time) => set(time ?? '')} />
    ) : (
      <TextInput
        {...props}
        type={isDay && (text === '' || DAY.test(text)) ? 'date' : 'text'}
        maxLength={1024}
        onChange={(event) => set(event.currentTarget.value)}
      />
    )
  }
  const groups = (found: readonly Column[], search: string) => [
    {
      group: 'Columns',
      items: found.flatMap((one) =>
        one.filter === null ? [] : [{ value: one.filter, label: one.label }],
      ),
    },
    {
      group: 'State',
      items: STATES.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase())),
    },
  ]
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Select
          label="Filter by"
          data={groups(columns, '')}
          filter={({ search }) =>
            groups(findColumns(columns, search).slice(0, MAX_CHOICES), search.trim())
          }
          renderOption={({ option }) => {
            const { name, depth } = columns.find(({ filter }) => filter === option.value) ?? {}
            return (
              <Box component="span" pl={16 * (depth ?? 0)}>
                {name ?? option.label}
              </Box>
            )
          }}
          value={target}
          onChange={(next) => {
            if (next === null) return
            setDraft(emptyDraft(next, columns))
            setProblems(new Map())
          }}
          searchable
          openOnFocus={false}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          data-autofocus={first === null || undefined}
        />
        {isFlag && (
          <SegmentedControl
            aria-label="Records"
            data={[
              { value: 'true', label: 'Only these' },
              { value: 'false', label: 'All but these' },
            ]}
            value={value === 'false' ? 'false' : 'true'}
            onChange={(chosen) => edit({ value: chosen })}
          />
        )}
        {!isState && (
          <Select
            label="Condition"
            data={operationsFor(kind)}
            value={operation}
            onChange={(next) =>
              edit({ operation: OPERATIONS.find((one) => one === next) ?? operation })
            }
            openOnFocus={false}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        {isList && (
          <TagsInput
            label="Values"
            description="Press Enter after each"
            required
            value={[...values]}
            onChange={(chosen) => edit({ values: chosen })}
            error={[...problems.values()][0]}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        {needsValue &&
          !isList &&
          input(isRange ? 'From' : 'Value', value, (text) => edit({ value: text }))}
        {isRange && input('To (exclusive)', until, (text) => edit({ until: text }))}
        <Button type="submit" size="xs">
          Apply
        </Button>
      </Stack>
    </form>
  )
}

/** `target`: the key of a condition, or a choice of {@link STATES}. */
type Draft = Omit<ConditionFilter, 'kind' | 'key'> & { target: string }

function emptyDraft(target: string, columns: readonly Column[]): Draft {
  const operation = firstOperation(columns.find((one) => one.filter === target)?.kind ?? 'text')
  return { target, operation, value: '', until: '', values: [] }
}

function draftOf(filter: EditableFilter | null, columns: readonly Column[]): Draft {
  if (filter === null) {
    const column = columns.find((one) => one.filter !== null)
    return emptyDraft(column?.filter ?? 'state incomplete', columns)
  }
  if (filter.kind === 'condition') return { target: filter.key, ...filter }
  const { name, value } = filter
  const target = name === 'reference_number' ? 'hub_reference_number' : `state ${name}`
  return { ...emptyDraft(target, columns), operation: 'is', value: String(value) }
}
