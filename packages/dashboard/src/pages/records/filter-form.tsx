import { Button, SegmentedControl, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { findFilterProblem } from '@recordhub/protocol/field-filter'
import { type FormEvent, useState } from 'react'
import { LocalTimeInput } from '../../components/local-time-input.tsx'
import type { Column } from './columns.ts'
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
export function FilterForm({
  columns,
  first,
  onDone,
}: {
  columns: readonly Column[]
  /** The initial filter; null for the default. */
  first: EditableFilter | null
  onDone: (filter: EditableFilter) => void
}) {
  const initial = initialValues(first, columns)
  const [target, setTarget] = useState(initial.target)
  const [operation, setOperation] = useState(initial.operation)
  const [value, setValue] = useState(initial.value)
  const [until, setUntil] = useState(initial.until)
  const [values, setValues] = useState(initial.values)
  /** What is wrong with each text, since the form was submitted. */
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const column = columns.find((one) => one.filter === target)
  const kind = column?.kind ?? 'text'
  const isFlag = target === 'state incomplete' || target === 'state missing'
  const isTime = target === 'state changed_since' || (column !== undefined && isInstant(column))
  const isRange = !target.startsWith('state ') && operation === 'between'
  /** A text can equal the empty text. */
  const canBeEmpty = kind === 'text' && operation === 'is'
  const isDay = kind === 'date' && operation !== 'contains' && operation !== 'starts'
  const isList = !target.startsWith('state ') && operation === 'in'
  const needsValue = !isFlag && (target === 'state changed_since' || takesValue(operation))

  function choose(next: string | null): void {
    if (next === null) return
    setTarget(next)
    setValue('')
    setUntil('')
    setValues([])
    setProblems(new Map())
    setOperation(firstOperation(columns.find((one) => one.filter === next)?.kind ?? 'text'))
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    event.stopPropagation()
    if (target === 'state incomplete' || target === 'state missing') {
      const name = target === 'state missing' ? 'missing' : 'incomplete'
      onDone({ kind: 'flag', name, value: value !== 'false' })
    } else if (target === 'state changed_since') {
      onDone({ kind: 'text', name: 'changed_since', value })
    } else {
      const texts = textsOf()
      const found = new Map(texts.flatMap((text) => problemOf(text.trim(), text)))
      setProblems(found)
      if (found.size > 0) return
      const trimmed = { value: value.trim(), until: until.trim() }
      onDone({
        kind: 'condition',
        key: target,
        operation,
        ...trimmed,
        values: operation === 'in' ? values : [],
      })
    }
  }

  function textsOf(): readonly string[] {
    if (!takesValue(operation)) return []
    if (operation === 'in') return values.length === 0 ? [''] : values
    return isRange ? [value, until] : [value]
  }

  function problemOf(trimmed: string, text: string): [string, string][] {
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
            aria-label="Records"
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
            label="Condition"
            data={operationsFor(kind)}
            value={operation}
            onChange={(next) => setOperation(OPERATIONS.find((one) => one === next) ?? operation)}
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
            onChange={setValues}
            error={[...problems.values()][0]}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        {needsValue && !isList && input(isRange ? 'From' : 'Value', value, setValue)}
        {isRange && input('To (exclusive)', until, setUntil)}
        <Button type="submit" size="xs">
          Apply
        </Button>
      </Stack>
    </form>
  )
}

function initialValues(
  first: EditableFilter | null,
  columns: readonly Column[],
): Omit<ConditionFilter, 'kind' | 'key'> & { target: string } {
  const column = columns.find((one) => one.filter !== null)
  if (first === null) {
    const operation = firstOperation(column?.kind ?? 'text')
    return {
      target: column?.filter ?? 'state incomplete',
      operation,
      value: '',
      until: '',
      values: [],
    }
  }
  if (first.kind === 'flag') {
    const { name, value } = first
    return { target: `state ${name}`, operation: 'is', value: String(value), until: '', values: [] }
  }
  if (first.kind === 'text') {
    const isReference = first.name === 'reference_number'
    return {
      target: isReference ? 'hub_reference_number' : 'state changed_since',
      operation: 'is',
      value: first.value,
      until: '',
      values: [],
    }
  }
  const { key, operation, value, until, values } = first
  return { target: key, operation, value, until, values }
}
