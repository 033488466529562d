import { Button, SegmentedControl, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Column } from './columns.ts'
import {
  type EditableFilter,
  firstOperation,
  fromLocalInput,
  isInstant,
  OPERATIONS,
  operationsFor,
  takesValue,
  toLocalInput,
} from './filters.ts'

/** What is no column but can be filtered by. */
const STATES = [
  { value: 'state incomplete', label: 'Incomplete records' },
  { value: 'state missing', label: 'Missing at the platform' },
  { value: 'state changed_since', label: 'Changed since' },
]

/** Sets one filter: of which column, how, and against what. */
export function FilterForm({
  columns,
  first,
  onDone,
}: {
  columns: readonly Column[]
  /** The filter to change, or where to begin; null for a new one. */
  first: EditableFilter | null
  onDone: (filter: EditableFilter) => void
}) {
  const begun = beginning(first, columns)
  const [target, setTarget] = useState(begun.target)
  const [operation, setOperation] = useState(begun.operation)
  const [value, setValue] = useState(begun.value)
  const [until, setUntil] = useState(begun.until)
  const column = columns.find((one) => one.filter === target)
  const kind = column?.kind ?? 'text'
  const isFlag = target === 'state incomplete' || target === 'state missing'
  const isTime = target === 'state changed_since' || (column !== undefined && isInstant(column))
  const isRange = !target.startsWith('state ') && operation === 'between'
  const needsValue = !isFlag && (target === 'state changed_since' || takesValue(operation))

  function choose(next: string | null): void {
    if (next === null) return
    setTarget(next)
    setValue('')
    setUntil('')
    setOperation(firstOperation(columns.find((one) => one.filter === next)?.kind ?? 'text'))
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    event.stopPropagation()
    const read = (text: string) => (isTime ? fromLocalInput(text) : text)
    if (target === 'state incomplete' || target === 'state missing') {
      const name = target === 'state missing' ? 'missing' : 'incomplete'
      onDone({ kind: 'flag', name, value: value !== 'false' })
    } else if (target === 'state changed_since') {
      onDone({ kind: 'text', name: 'changed_since', value: read(value) })
    } else {
      onDone({ kind: 'condition', key: target, operation, value: read(value), until: read(until) })
    }
  }

  const input = (label: string, text: string, set: (text: string) => void) => (
    <TextInput
      label={label}
      type={
        isTime ? 'datetime-local' : kind === 'date' && operation !== 'contains' ? 'date' : 'text'
      }
      required
      maxLength={1024}
      data-autofocus={(first !== null && text === value) || undefined}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Select
          label="Filter by"
          data={[
            {
              group: 'Columns',
              items: columns.flatMap((one) =>
                one.filter === null ? [] : [{ value: one.filter, label: one.label }],
              ),
            },
            { group: 'State', items: STATES },
          ]}
          value={target}
          onChange={choose}
          searchable
          openOnFocus={false}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          data-autofocus={first === null || undefined}
        />
        {isFlag && (
          <SegmentedControl
            aria-label="Which records"
            data={[
              { value: 'true', label: 'Only these' },
              { value: 'false', label: 'All but these' },
            ]}
            value={value === 'false' ? 'false' : 'true'}
            onChange={setValue}
          />
        )}
        {!target.startsWith('state ') && (
          <Select
            label="Test"
            data={operationsFor(kind)}
            value={operation}
            onChange={(next) => setOperation(OPERATIONS.find((one) => one === next) ?? operation)}
            openOnFocus={false}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        {needsValue && input(isRange ? 'From' : 'Value', value, setValue)}
        {isRange && input('To (not included)', until, setUntil)}
        <Button type="submit" size="xs">
          Apply
        </Button>
      </Stack>
    </form>
  )
}

function beginning(first: EditableFilter | null, columns: readonly Column[]) {
  const column = columns.find((one) => one.filter !== null)
  if (first === null) {
    const operation = firstOperation(column?.kind ?? 'text')
    return { target: column?.filter ?? 'state incomplete', operation, value: '', until: '' }
  }
  if (first.kind === 'flag') {
    const { name, value } = first
    return { target: `state ${name}`, operation: 'is' as const, value: String(value), until: '' }
  }
  if (first.kind === 'text') {
    const isReference = first.name === 'reference_number'
    return {
      target: isReference ? 'hub_reference_number' : 'state changed_since',
      operation: 'is' as const,
      value: isReference ? first.value : toLocalInput(first.value),
      until: '',
    }
  }
  const { key, operation, value, until } = first
  const filtered = columns.find((one) => one.filter === key)
  const show = filtered && isInstant(filtered) ? toLocalInput : (text: string) => text
  return { target: key, operation, value: show(value), until: show(until) }
}
