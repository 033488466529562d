import {
  Box,
  Button,
  Code,
  Collapse,
  Loader,
  ScrollArea,
  Text,
  UnstyledButton,
} from '@mantine/core'
import type { FoundRecord, StoredRecord } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { recordsByReferenceQuery } from '../../api/records.ts'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PlatformLink } from '../../components/platform-link.tsx'
import { ValueView } from '../../components/value-view.tsx'
import { formatDuration, formatSeconds } from '../../lib/format.ts'
import { textOfValue } from '../../lib/lossless-json.ts'
import { useNow } from '../../lib/use-now.ts'
import classes from './search.module.css'
import { compareRecord, type Lane, type PlatformLine, type SearchState } from './search-lanes.ts'

/** The first results of each platform; the others are shown on request. */
const FIRST = 3

/** One platform: how far its search is, and what it found. */
export function PlatformLane(props: {
  lane: Lane
  progress: SearchState['progress']
  onRetry: () => void
}) {
  const { lane, progress, onRetry } = props
  const { display_title, platform_name, line } = lane
  const [isAll, setAll] = useState(false)
  const id = useId()
  const { sign, state } = describeLane(line, progress)
  const canShowAll = line?.outcome === 'found' && line.records.length > FIRST
  return (
    <section className={classes['lane']} aria-labelledby={id} aria-busy={sign === 'searching'}>
      <header>
        {sign === 'searching' ? <Loader size={14} aria-hidden /> : <Dot color={sign} />}
        <div>
          <h3 id={id}>
            <PlatformLink name={platform_name} />
          </h3>{' '}
          <span className={classes['state']}>
            {state}
            {sign === 'searching' && <Elapsed />}
          </span>
        </div>
        {canShowAll && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-expanded={isAll}
            onClick={() => setAll(!isAll)}
          >
            {isAll ? 'Fewer' : `All ${line.records.length}`}
          </Button>
        )}
        {line?.outcome === 'failed' && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onRetry}>
            Try again
          </Button>
        )}
      </header>
      {line?.outcome === 'failed' && <p className={classes['sub']}>{line.error?.message}</p>}
      {line?.outcome === 'raw' && (
        <div className={classes['sub']}>
          <p>
            The hub found no records in this response, so the response is shown as sent by the
            platform.
          </p>
          <ScrollArea.Autosize
            mah={280}
            viewportProps={{ tabIndex: 0, 'aria-label': `Response of ${display_title}` }}
          >
            <Code block>{line.raw}</Code>
          </ScrollArea.Autosize>
        </div>
      )}
      {line?.outcome === 'found' && line.records.length > 0 && (
        <FoundRecords line={line} platform={platform_name} max={isAll ? Infinity : FIRST} />
      )}
    </section>
  )
}

/** The time since it is shown. Hidden from screen readers, which would read every second. */
function Elapsed() {
  const [start] = useState(Date.now)
  return <span aria-hidden>, {formatSeconds(useNow(true) - start)}</span>
}

function describeLane(
  line: PlatformLine | null,
  progress: SearchState['progress'],
): { sign: DotColor | 'searching'; state: string } {
  if (line === null) {
    if (progress === 'stopped') return { sign: 'hollow', state: 'stopped' }
    return progress === 'interrupted'
      ? { sign: 'hollow', state: 'no response' }
      : { sign: 'searching', state: 'searching' }
  }
  const took = formatDuration(line.took_ms)
  switch (line.outcome) {
    case 'no_endpoint':
      return { sign: 'hollow', state: 'has no search endpoint' }
    case 'failed':
      return { sign: 'red', state: `failed, ${took}` }
    case 'raw':
      return { sign: 'orange', state: `unknown format, ${took}` }
    case 'found': {
      const found = line.found === 0 ? 'nothing found' : `${line.found} found`
      return { sign: 'green', state: `${found}, ${took}` }
    }
  }
}

function FoundRecords(props: { line: PlatformLine; platform: string; max: number }) {
  const { line, platform, max } = props
  const { records, found } = line
  const references = records.flatMap(({ reference_number }) => reference_number ?? [])
  const stored = useQuery(recordsByReferenceQuery(platform, references)).data
  // Results of a platform may have no id.
  const numbered = records.map((record, index) => ({ record, number: String(index + 1) }))
  return (
    <ul>
      {numbered.slice(0, max).map(({ record, number }) => (
        <Found key={number} record={record} platform={platform}>
          {stored && <Comparison record={record} platform={platform} stored={stored} />}
        </Found>
      ))}
      {found > records.length && max >= records.length && (
        <li className={classes['state']}>
          The platform found {found}. The first {records.length} are shown.
        </li>
      )}
    </ul>
  )
}

function Found(props: { record: FoundRecord; platform: string; children: ReactNode }) {
  const { record, platform, children } = props
  const [isOpen, setOpen] = useState(false)
  const { reference_number } = record
  return (
    <li>
      <div className={classes['found']}>
        <UnstyledButton
          className={classes['title'] ?? ''}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {titleOf(record)}
        </UnstyledButton>
        {children}
      </div>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Box pb="xs">
            <ValueView value={record.data} />
            {reference_number && (
              <PageLink to="/dashboard/records" search={{ platform, reference_number }} fz="xs">
                Find in the hub
              </PageLink>
            )}
          </Box>
        )}
      </Collapse>
    </li>
  )
}

/** Whether the hub has the record as the platform sent it. */
function Comparison(props: {
  record: FoundRecord
  platform: string
  stored: readonly StoredRecord[]
}) {
  const { record, platform, stored } = props
  const { outcome, record_id } = compareRecord(record, stored)
  if (outcome === 'unknown') return null
  if (outcome === 'absent') {
    return (
      <Text span inherit c="var(--orange-text)">
        not in the hub
      </Text>
    )
  }
  if (outcome === 'same') return <span className={classes['state']}>same</span>
  return (
    <PageLink to="/dashboard/records" search={{ platform, record: String(record_id) }} fz="xs">
      differs
    </PageLink>
  )
}

/** The name, the reference number, or the beginning of the data. */
function titleOf({ full_name, reference_number, data }: FoundRecord): string {
  return full_name || reference_number || (textOfValue(data) ?? '').slice(0, 80) || 'No name'
}
