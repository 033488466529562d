import {
  Alert,
  Button,
  Code,
  Group,
  ScrollArea,
  Skeleton,
  Stack,
  Tabs,
  Text,
  Title,
} from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Field, HistoryEntry } from '@recordhub/protocol'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useModules, usePlatforms } from '../../../api/platforms.ts'
import {
  type PastVersion,
  type RecordVersion,
  recordQuery,
  type ShownRecord,
} from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Dimmed } from '../../../components/list-table/columns.tsx'
import { LocalTimeInput } from '../../../components/local-time-input.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Ago } from '../../../components/time.tsx'
import { formatBytes, formatTime } from '../../../lib/format.ts'
import { isElsewhere } from '../../../lib/is-elsewhere.ts'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { type UrlState, useUrlState } from '../../../lib/url-state.ts'
import { useCloseOnEscape } from '../../../lib/use-close-on-escape.ts'
import { RecordHolds } from '../../reverts/holds.tsx'
import { missingLabel } from '../columns.ts'
import { Fields } from './fields.tsx'
import { Author, HistoryList, useHistory } from './history.tsx'
import { PanelBar, type PanelProps } from './panel-bar.tsx'
import classes from './record.module.css'
import { fieldsOf, fieldsOfManifest, labelOfPath } from './record-fields.ts'

const PHONE = '(max-width: 56.25em)'

const STEPS: Readonly<Record<string, 'onNext' | 'onPrevious'>> = {
  ArrowDown: 'onNext',
  j: 'onNext',
  ArrowUp: 'onPrevious',
  k: 'onPrevious',
}

/** ↑, ↓, J and K open the record before or after this one. */
function useStepKeys(props: PanelProps): void {
  const step = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    const name = STEPS[key]
    if (!name || isElsewhere(event) || ctrlKey || metaKey || altKey) return
    event.preventDefault()
    props[name]?.()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => step(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** One record beside the list, which it narrows: its fields with their sources, its history and its JSON. */
export function RecordPanel(props: PanelProps) {
  const [state, change] = useUrlState()
  const past = pastVersionOf(state)
  const found = useQuery(recordQuery(props.id, past))
  const { shown, newer, showNewer } = useShownVersion(found.data, past)
  const error = errorInPlaceOfData(found)
  const panel = useRef<HTMLElement>(null)
  const [picksTime, setPicksTime] = useState(false)
  const close = () => change({ record: null, tab: null, as_of: null, change: null })
  useCloseOnEscape(true, close)
  useStepKeys(props)
  // On a phone, the panel takes the place of the list.
  useEffect(() => {
    if (matchMedia(PHONE).matches) panel.current?.focus()
  }, [])
  const asOf = (
    <AsOf
      past={past}
      changedAt={shown?.record.updated_at ?? null}
      onChange={(at) => change({ as_of: at, change: null })}
    />
  )
  function content() {
    if (error) {
      return (
        <Stack p="md">
          {past !== null && asOf}
          <ErrorNotice
            error={error}
            onRetry={() => void found.refetch()}
            title="Could not load the record"
          />
        </Stack>
      )
    }
    if (!shown) return <PanelSkeleton />
    return (
      <OpenRecord version={shown}>
        {newer && <NewerVersion changedAt={newer.record.updated_at} onShow={showNewer} />}
        {(past !== null || picksTime) && asOf}
      </OpenRecord>
    )
  }
  return (
    <aside ref={panel} className={classes['panel']} aria-label="Record" tabIndex={-1}>
      <PanelBar
        {...props}
        record={shown?.record}
        past={past}
        onClose={close}
        onPickTime={() => setPicksTime(true)}
      />
      {content()}
    </aside>
  )
}

function pastVersionOf({ as_of, change }: UrlState): PastVersion {
  if (change !== undefined) return { change_seq: change }
  return as_of === undefined ? null : { as_of }
}

function OpenRecord({ version, children }: { version: RecordVersion; children: ReactNode }) {
  const { record, fields = [] } = version
  const [state, change] = useUrlState()
  const { tab = 'fields' } = state
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false })
  const missing = missingLabel(record)
  const manifest = fieldsOfManifest(useModules(record.platform_name), record)
  const { query, entries } = useHistory(version)
  const [last] = entries
  const count = query.data && `${entries.length}${query.hasNextPage ? '+' : ''}`
  return (
    <>
      <header className={classes['head']}>
        {/* On a phone, the record is the page. */}
        <Title order={isPhone ? 1 : 2} fz="lg" lineClamp={3}>
          {record.full_name || record.reference_number}
        </Title>
        <LastChange
          record={record}
          entry={last}
          manifest={manifest}
          namesModule={state['platform'] === undefined || state['record_type'] === undefined}
        />
        {(record.incomplete || missing !== null) && (
          <Group gap="xs" mt={4}>
            {record.incomplete && <StatusBadge status="warning" label="Incomplete" />}
            {missing !== null && <StatusBadge status="warning" label={missing} />}
          </Group>
        )}
      </header>
      {children && <Stack gap="xs">{children}</Stack>}
      <RecordHolds recordId={record.record_id} />
      <Tabs
        value={tab}
        onChange={(next) => change({ tab: next === 'fields' ? null : next }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List className={classes['tabs'] ?? ''}>
          <Tabs.Tab
            value="fields"
            rightSection={<Dimmed>{fieldsOf(record, manifest, fields).length}</Dimmed>}
          >
            Fields
          </Tabs.Tab>
          <Tabs.Tab value="history" rightSection={<Dimmed>{count}</Dimmed>}>
            History
          </Tabs.Tab>
          <Tabs.Tab value="raw">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="fields">
          <Fields record={record} manifest={manifest} origins={fields} last={last} />
          <HistoryList version={version} manifest={manifest} max={3} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryList version={version} manifest={manifest} />
        </Tabs.Panel>
        <Tabs.Panel value="raw" p="md">
          <JsonTab record={record} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** Who changed the record last, when and what. */
function LastChange(props: {
  record: ShownRecord
  entry: HistoryEntry | undefined
  manifest: readonly Field[]
  /** If the list contains records of several modules. */
  namesModule: boolean
}) {
  const { record, entry, manifest, namesModule } = props
  const { module_name, platform_name, created_at } = record
  const platform = usePlatforms().data?.find((one) => one.platform_name === platform_name)
  const title = platform ? (
    <PageLink
      to="/dashboard/platforms/$id"
      params={{ id: String(platform.id) }}
      c="inherit"
      fz="inherit"
      underline="always"
    >
      {platform.display_title}
    </PageLink>
  ) : (
    platform_name
  )
  const [first] = entry?.changes ?? []
  const more = (entry?.changes.length ?? 0) - 1
  return (
    <Text size="sm" c="var(--text-2)" component="p">
      {namesModule && (
        <>
          {module_name} of {title}.{' '}
        </>
      )}
      {entry && first ? (
        <>
          Changed <Ago at={entry.at} /> by{' '}
          <Author entry={entry} platform={platform?.display_title} />:{' '}
          <b>{labelOfPath(first.path, manifest).label}</b>
          {more > 0 && ` and ${more} more`}
        </>
      ) : (
        <>
          Received <Ago at={created_at} />
        </>
      )}
    </Text>
  )
}

/**
 * Keeps the version that was opened, so that all tabs describe the same one. A newer version is shown on request, or
 * when another one is chosen.
 */
function useShownVersion(read: RecordVersion | undefined, past: PastVersion) {
  const chosen = JSON.stringify(past)
  const [kept, keep] = useState<{ chosen: string; version: RecordVersion } | null>(null)
  const showNewer = () => keep(read ? { chosen, version: read } : null)
  const shown = kept?.chosen === chosen ? kept.version : undefined
  if (read && !shown) showNewer()
  const isNewer = shown !== undefined && read?.change_seq !== shown.change_seq
  return { shown, newer: isNewer ? read : undefined, showNewer }
}

function NewerVersion({ changedAt, onShow }: { changedAt: string | null; onShow: () => void }) {
  return (
    <Alert color="gray" p="xs" mx="md" role="status">
      <Group gap="sm" justify="space-between">
        <Text size="sm">Changed {changedAt === null ? 'since' : <Ago at={changedAt} />}</Text>
        <Button size="xs" variant="default" onClick={onShow}>
          Show
        </Button>
      </Group>
    </Alert>
  )
}

function PanelSkeleton() {
  return (
    <Stack p="md" aria-busy="true" aria-label="Loading">
      <Skeleton height={20} width="60%" />
      <Skeleton height={14} width="80%" />
      <Skeleton height={320} />
    </Stack>
  )
}

const MAX_SHOWN = 100_000

/** The record as JSON, as returned by the API; numbers keep their digits. */
function JsonTab({ record }: { record: ShownRecord }) {
  const text = writeLossless(record)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <CopyButton value={text} label="Copy JSON" text="Copy JSON" />
      </Group>
      <ScrollArea.Autosize
        mah="65dvh"
        viewportProps={{ tabIndex: 0, 'aria-label': 'JSON of the record' }}
      >
        <Code block>{text.slice(0, MAX_SHOWN)}</Code>
      </ScrollArea.Autosize>
      {text.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed">
          Only the first part of {formatBytes(text.length)} is shown. “Copy JSON” copies everything.
        </Text>
      )}
    </Stack>
  )
}

/** An input to view the record as of an earlier time. */
function AsOf(props: {
  past: PastVersion
  /** The time of the change whose version is shown, as far as it is known. */
  changedAt: string | null
  onChange: (at: string | null) => void
}) {
  const { past, changedAt, onChange } = props
  const asOf = past && 'as_of' in past ? past.as_of : undefined
  const input = <LocalTimeInput label="View as of" value={asOf} onChange={onChange} />
  if (past === null) return input
  return (
    <Alert color="blue" variant="light" icon={<IconHistory />} role="status" w="100%">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Text size="sm" flex={1} miw={200}>
          {asOf === undefined
            ? `This is the version after ${changedAt === null ? 'a change' : `the change of ${formatTime(changedAt, { seconds: true })}`}, not the current one.`
            : `This is the version of ${Number.isNaN(Date.parse(asOf)) ? asOf : formatTime(asOf)}, not the current one.`}
        </Text>
        {input}
        <Button size="xs" variant="default" onClick={() => onChange(null)}>
          Back to current version
        </Button>
      </Group>
    </Alert>
  )
}
