import { Anchor, Table, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { ValueView } from '../../../components/value-view.tsx'
import { formatCount, formatKey } from '../../../lib/format.ts'
import { isPlainObject, textOfValue } from '../../../lib/lossless-json.ts'
import { summaryOf } from '../cell.tsx'
import classes from './record.module.css'

/** Deeper values are folded. */
const OPEN_DEPTH = 2
/** Further columns of a table of objects are shown on request. */
const MAX_COLUMNS = 5
const MAX_ROWS = 20
/** A list of not more objects is open at first. */
const SHORT = 5

type NestedValue = unknown[] | Record<string, unknown>

export function isNested(value: unknown): value is NestedValue {
  return (Array.isArray(value) || isPlainObject(value)) && Object.keys(value).length > 0
}

/** Whether a value is a short list of objects, which are more telling than their number. */
export function isShort(value: NestedValue): boolean {
  return isObjectList(value) && value.length <= SHORT
}

export function countOf(value: NestedValue): string {
  if (Array.isArray(value)) return ''
  return formatCount(Object.keys(value).length, 'value')
}

/** A value that is not nested: an address is a link. */
export function Value({ value }: { value: unknown }) {
  const url = typeof value === 'string' ? urlOf(value) : null
  if (url) {
    return (
      <Anchor
        href={url.href}
        target="_blank"
        rel="noreferrer noopener"
        fz="inherit"
        title={url.href}
      >
        {url.pathname.split('/').findLast((part) => part !== '') ?? url.host}
      </Anchor>
    )
  }
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return typeof value === 'string' ? <ValueView value={value} /> : (textOfValue(value) ?? '—')
}

function urlOf(text: string): URL | null {
  return /^https?:\/\/\S+$/.test(text) ? URL.parse(text) : null
}

/** The values of an object or list; a list of objects is a small table. */
export function Nested({ value, depth }: { value: NestedValue; depth: number }) {
  const [max, setMax] = useState(MAX_ROWS)
  if (isObjectList(value)) return <ObjectTable rows={value} />
  const members = Object.entries(value)
  return (
    <dl className={classes['tree']}>
      {members.slice(0, max).map(([key, member]) => (
        <Member
          key={key}
          label={Array.isArray(value) ? String(Number(key) + 1) : formatKey(key)}
          value={member}
          depth={depth}
        />
      ))}
      {members.length > max && (
        <Anchor component="button" fz="xs" onClick={() => setMax(max * 10)}>
          Show {members.length - max} more
        </Anchor>
      )}
    </dl>
  )
}

function Member({ label, value, depth }: { label: string; value: unknown; depth: number }) {
  const nested = isNested(value)
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH)
  return (
    <div>
      <dt>{nested ? <Fold label={label} isOpen={isOpen} setOpen={setOpen} /> : label}</dt>
      <dd>
        {!nested && <Value value={value} />}
        {nested && !isOpen && (
          <span className={classes['secondary']}>{summaryOf(value, label)}</span>
        )}
        {nested && isOpen && <Nested value={value} depth={depth + 1} />}
      </dd>
    </div>
  )
}

/** The label of a nested value, which shows and hides the value. */
export function Fold(props: {
  label: string
  isOpen: boolean
  setOpen: (isOpen: boolean) => void
}) {
  const { label, isOpen, setOpen } = props
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <UnstyledButton
      className={classes['fold'] ?? ''}
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      <Chevron size={12} aria-hidden />
      {label}
    </UnstyledButton>
  )
}

function isObjectList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPlainObject)
}

function ObjectTable({ rows }: { rows: readonly Record<string, unknown>[] }) {
  const [max, setMax] = useState(MAX_ROWS)
  const [maxKeys, setMaxKeys] = useState(MAX_COLUMNS)
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const keys = all.slice(0, maxKeys)
  const isNumber = (key: string) =>
    rows.some((row) => typeof row[key] === 'number') &&
    rows.every((row) => typeof row[key] === 'number' || row[key] == null)
  const cells = rows.slice(0, max).map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity.
    <Table.Tr key={index}>
      {keys.map((key) => (
        <Table.Td key={key} data-number={isNumber(key) || undefined}>
          <CellValue value={row[key]} label={formatKey(key)} />
        </Table.Td>
      ))}
    </Table.Tr>
  ))
  return (
    <div className={classes['subtable']}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {keys.map((key) => (
              <Table.Th key={key} data-number={isNumber(key) || undefined}>
                {formatKey(key)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{cells}</Table.Tbody>
      </Table>
      {rows.length > max && (
        <Anchor component="button" fz="xs" p="xs" onClick={() => setMax(max * 10)}>
          Show {rows.length - max} more
        </Anchor>
      )}
      {all.length > maxKeys && (
        <Anchor component="button" fz="xs" p="xs" onClick={() => setMaxKeys(maxKeys * 10)}>
          Show {formatCount(all.length - maxKeys, 'more column')}
        </Anchor>
      )}
    </div>
  )
}

/** A nested value is a summary that opens. */
function CellValue({ value, label }: { value: unknown; label: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!isNested(value)) {
    return textOfValue(value) ? (
      <Value value={value} />
    ) : (
      <span className={classes['dimmed']}>—</span>
    )
  }
  return (
    <>
      <Fold label={summaryOf(value, label) ?? label} isOpen={isOpen} setOpen={setOpen} />
      {isOpen && <Nested value={value} depth={OPEN_DEPTH} />}
    </>
  )
}
