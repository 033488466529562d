import { Text, TextInput, UnstyledButton } from '@mantine/core'
import type { Field, FieldOrigin, HistoryEntry } from '@recordhub/protocol'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { ShownRecord } from '../../../api/records.ts'
import { PageLink } from '../../../components/page-link.tsx'
import { formatAge, formatExact, formatNumber } from '../../../lib/format.ts'
import { textOfValue } from '../../../lib/lossless-json.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { summaryOf } from '../cell.tsx'
import { SourceIcon } from './history.tsx'
import classes from './record.module.css'
import { fieldsOf, pathOf, type ShownField, sourceLabel } from './record-fields.ts'
import { countOf, Fold, isNested, isShort, Nested, Value } from './value-tree.tsx'

/** More fields than this can be searched. */
const MANY = 12

/** All fields with label, value and the source of the value. Empty ones are folded at the end. */
export function Fields(props: {
  record: ShownRecord
  manifest: readonly Field[]
  /** Empty for a version of an earlier time. */
  origins: readonly FieldOrigin[]
  /** The last change, whose values are emphasised. */
  last: HistoryEntry | undefined
}) {
  const { record, manifest, origins, last } = props
  const [search, setSearch] = useState('')
  const [showsEmpty, setShowsEmpty] = useState(false)
  const changed = new Set(last?.changes.map(({ path }) => path))
  const all = fieldsOf(record, manifest, origins)
  const isChanged = ({ key }: ShownField) => changed.has(pathOf(key))
  const text = search.trim().toLowerCase()
  const found = all.filter(({ key, label, value }) =>
    `${label} ${key} ${textOfValue(value) ?? ''}`.toLowerCase().includes(text),
  )
  const filled = found.filter((field) => isChanged(field) || !isEmpty(field.value))
  const empty = found.filter((field) => !filled.includes(field))
  if (all.length === 0) {
    return (
      <Text c="dimmed" p="md">
        The record has no fields.
      </Text>
    )
  }
  return (
    <div className={classes['fields']}>
      {all.length > MANY && (
        <TextInput
          px="md"
          py={4}
          aria-label="Search in this record"
          placeholder={`Search in ${all.length} fields`}
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <dl>
        {filled.map((field) => (
          <FieldRow key={field.key} field={field} isChanged={isChanged(field)} />
        ))}
        {(showsEmpty || text !== '') &&
          empty.map((field) => <FieldRow key={field.key} field={field} isChanged={false} />)}
      </dl>
      {empty.length > 0 && text === '' && (
        <UnstyledButton
          px="md"
          py={5}
          fz="xs"
          c="var(--accent-text)"
          onClick={() => setShowsEmpty(!showsEmpty)}
        >
          {showsEmpty ? 'Hide' : 'Show'} {empty.length} empty{' '}
          {empty.length === 1 ? 'field' : 'fields'}
        </UnstyledButton>
      )}
    </div>
  )
}

function isEmpty(value: unknown): boolean {
  return (textOfValue(value) ?? '') === '' || summaryOf(value, '') === null
}

function FieldRow({ field, isChanged }: { field: ShownField; isChanged: boolean }) {
  const { key, label, value, isInManifest, origin } = field
  const nested = isNested(value)
  const [isOpen, setOpen] = useState(nested && isShort(value))
  const hint = isInManifest ? key : `${key}, not in the manifest`
  return (
    <div className={classes['field']} data-changed={isChanged || undefined}>
      <dt title={hint}>
        {nested ? <Fold label={label} isOpen={isOpen} setOpen={setOpen} /> : label}
      </dt>
      <dd>
        {nested ? (
          <span className={classes['secondary']}>
            {summaryOf(value, label)} <span className={classes['dimmed']}>{countOf(value)}</span>
          </span>
        ) : (
          <Value value={value} />
        )}
      </dd>
      {origin && <Origin origin={origin} />}
      {nested && isOpen && (
        <dd className={classes['nested']}>
          <Nested value={value} depth={1} />
        </dd>
      )}
    </div>
  )
}

const VERBS: Readonly<Record<string, string>> = {
  pull: 'pull',
  replay: 'replay',
  revert: 'revert',
  // The first value.
  creation: '',
}

/** `↙ push 1 h`, with the exact time and the request on hover. */
function Origin({ origin }: { origin: FieldOrigin }) {
  const { source, written_at, pull_id, request_id, revert_id } = origin
  const canOperate = useHasRole('operator')
  const age = written_at === null ? '' : formatAge(written_at, Date.now()).replace(' ago', '')
  const hint = [
    sourceLabel(source),
    written_at === null ? '' : formatExact(written_at),
    pull_id === null ? '' : `pull ${formatNumber(pull_id)}`,
    revert_id === null ? '' : `revert ${formatNumber(revert_id)}`,
    request_id === null ? '' : `request ${request_id}`,
  ]
    .filter(Boolean)
    .join(', ')
  const content = (
    <>
      {source !== null && source !== 'creation' && <SourceIcon source={source} size={12} />}
      {source === null ? 'older' : `${VERBS[source] ?? 'push'} ${age}`.trim()}
    </>
  )
  const to =
    revert_id === null
      ? pull_id !== null && '/dashboard/pulls/$id'
      : canOperate && '/dashboard/reverts/$id'
  return (
    <dd className={classes['origin']} title={hint}>
      {to ? (
        <PageLink to={to} params={{ id: String(revert_id ?? pull_id) }} c="inherit" fz="inherit">
          {content}
        </PageLink>
      ) : (
        content
      )}
    </dd>
  )
}
