import { Button, CloseButton, Group, Text, Title, Tooltip } from '@mantine/core'
import type { LoggedRequest, LoggedRequestDetails } from '@recordhub/protocol'
import { requestCommand } from '@recordhub/protocol/push-command'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { getQuery } from '../../api/get-query.ts'
import { rejectedPushGroupsQuery, rejectedPushPageQuery } from '../../api/rejected-pushes.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { RepairLink } from '../../components/group-actions.tsx'
import { Dimmed } from '../../components/list-table/columns.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PlatformLink } from '../../components/platform-link.tsx'
import { Ago, Second } from '../../components/time.tsx'
import {
  formatBytes,
  formatCode,
  formatCount,
  formatLatency,
  formatNumber,
} from '../../lib/format.ts'
import { parseLossless, writeLossless } from '../../lib/lossless-json.ts'
import { useCloseOnEscape } from '../../lib/use-close-on-escape.ts'
import classes from './log.module.css'

const PHONE = '(max-width: 56.25em)'

/** An opened request beside the list. */
export function RequestPanel({ id, onClose }: { id: number; onClose: () => void }) {
  const query = useQuery({
    ...getQuery<{ request: LoggedRequestDetails }>('GET /api/v1/requests/:id', { params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const panel = useRef<HTMLElement>(null)
  useCloseOnEscape(true, onClose)
  // On a phone, the panel takes the place of the list.
  useEffect(() => {
    if (matchMedia(PHONE).matches) panel.current?.focus()
  }, [])
  return (
    <aside ref={panel} className={classes['panel']} aria-label="Request" tabIndex={-1}>
      <CloseButton pos="absolute" top={8} right={8} aria-label="Close" onClick={onClose} />
      <Loaded query={query} errorTitle="Could not load the request">
        {({ request }) => <OpenRequest request={request} />}
      </Loaded>
    </aside>
  )
}

function OpenRequest({ request }: { request: LoggedRequestDetails }) {
  const { method, status, at, latency_ms, request_id, address, key_hint, platform_name } = request
  const { record_type, record_id, skipped, headers, body, response, size, code } = request
  const [showsHeaders, setShowsHeaders] = useState(false)
  return (
    <>
      <Group gap="xs" className={classes['head'] ?? ''}>
        <code>{method}</code>
        <Status status={status} />
        <Title order={2} fz="sm" miw={0}>
          {subjectOf(request) ?? 'Unknown record'}
        </Title>
      </Group>
      <dl className={classes['facts']}>
        <Fact name="Received">
          <Second at={at} milliseconds />{' '}
          <Dimmed>
            <Ago at={at} />, ready after {formatLatency(latency_ms)}
          </Dimmed>
        </Fact>
        <Fact name="Outcome">
          <Outcome request={request} />
        </Fact>
        <Fact name="Request">
          <code>{request_id}</code> <CopyButton value={request_id} label="Copy the request ID" />
        </Fact>
        <Fact name="From">
          {address} <Dimmed>{key_hint ? `key ${key_hint}` : 'without a key'}</Dimmed>
        </Fact>
        <Fact name="Platform">
          {platform_name ? <PlatformLink name={platform_name} /> : reasonWithoutPlatform(code)}
        </Fact>
        {record_type !== null && <Fact name="Module">{record_type}</Fact>}
      </dl>
      {skipped > 0 && (
        <Text size="xs" c="dimmed" px="md" pb="xs">
          {formatCount(skipped, 'request')} before it {skipped === 1 ? 'was' : 'were'} not logged,
          because too many arrived.
        </Text>
      )}
      <Group gap="xs" px="md" pb="xs">
        <CopyAsCurl request={request} />
        {headers && (
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            aria-expanded={showsHeaders}
            onClick={() => setShowsHeaders(!showsHeaders)}
          >
            {showsHeaders ? 'Hide headers' : 'Headers'}
          </Button>
        )}
        {record_id !== null && (
          <PageLink to="/dashboard/records" search={{ record: String(record_id) }} size="sm">
            Open record
          </PageLink>
        )}
        {code !== null && platform_name !== null && (
          <RepairAll platform={platform_name} requestId={request_id} />
        )}
      </Group>
      <TextBlock
        title="Response"
        text={response}
        otherwise={headers ? 'Response not kept: it is too large.' : SAMPLED}
      />
      <TextBlock
        title={`Body${size === null ? '' : ` ${formatBytes(size)}`}`}
        text={body}
        otherwise={reasonWithoutBody(request)}
      />
      {showsHeaders && headers && (
        <TextBlock
          title="Headers"
          text={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
          otherwise=""
        />
      )}
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Repairs all pushes that were rejected for the same reason, if this one is still rejected. */
function RepairAll({ platform, requestId }: { platform: string; requestId: string }) {
  const search = { platform, request_id: requestId, limit: '1' }
  const push = useQuery(rejectedPushPageQuery(search)).data?.rejected_pushes[0]
  const { data } = useQuery({ ...rejectedPushGroupsQuery({ platform }), enabled: push != null })
  const group = data?.groups.find(({ cause }) => cause === push?.cause)
  if (group) {
    const count = group.rejected_pushes
    const label = count === 1 ? 'Repair' : `Repair all ${formatNumber(count)}`
    return <RepairLink group={group} label={label} />
  }
  return (
    <PageLink to="/dashboard/inbox" search={{ tab: 'rejected', platform }} size="sm">
      Rejected pushes of this platform
    </PageLink>
  )
}

function TextBlock(props: { title: string; text: string | null; otherwise: string }) {
  const { title, text, otherwise } = props
  return (
    <section aria-label={title}>
      <Text size="xs" fw={500} px="md" py={6}>
        {title}
      </Text>
      {text === null ? (
        <Text size="sm" c="dimmed" px="md" pb="xs">
          {otherwise}
        </Text>
      ) : (
        <pre className={classes['code']}>{indent(text)}</pre>
      )}
    </section>
  )
}

/** JSON with a member per line and the digits of its numbers; any other text unchanged. */
function indent(text: string): string {
  try {
    return writeLossless(parseLossless(text))
  } catch {
    return text
  }
}

const SAMPLED =
  'Not kept: while many requests arrive, the log keeps the headers, bodies and responses of a sample. It keeps none that names an erased record.'

function reasonWithoutPlatform(code: string | null): string {
  return code === 'api_key_invalid'
    ? 'Unknown: the key is not valid'
    : 'Unknown: the hub reads no key for such a path or method'
}

function reasonWithoutBody({ headers, size, platform_name }: LoggedRequestDetails): string {
  if (headers === null) return `Body not kept. ${SAMPLED}`
  if (platform_name === null)
    return 'Body not kept: the hub does not read it without a valid key, path and method.'
  return size === null ? 'No body was received.' : 'Body not kept: it is too large or was not read.'
}

/** Without its body, the command would send another request. */
function CopyAsCurl({ request }: { request: LoggedRequestDetails }) {
  const { method, path, headers, body, size } = request
  const isComplete = headers !== null && (body !== null || size === null)
  const url = `${location.origin}${path}`
  const command = isComplete ? requestCommand({ method, url, headers, body }) : null
  return (
    <Tooltip
      label={
        isComplete
          ? 'Replace $HUB_API_KEY by the key, or set it as a variable.'
          : 'The log has not kept the whole request.'
      }
    >
      <span>
        <CopyButton value={command} label="Copy as curl" text="Copy as curl" />
      </span>
    </Tooltip>
  )
}

/** The reference of the record; the path of a request that names none and is no push. */
export function subjectOf({ reference_number, path, method }: LoggedRequest): string | null {
  const isPush = path === '/api/webhook/receive' && ['POST', 'PATCH'].includes(method)
  return reference_number ?? (isPush ? null : path)
}

const OUTCOMES: Readonly<Record<string, string>> = {
  created: 'new',
  stale: 'older than the record',
  api_key_invalid: 'key not valid',
}

export function Status({ status }: { status: number }) {
  return (
    <Text span fz="inherit" {...emphasisOf(status)}>
      {status}
    </Text>
  )
}

/** What became of the record, or why the request was rejected. */
export function Outcome({ request: { code, outcome, status } }: { request: LoggedRequest }) {
  const name = code ?? outcome
  if (name === null) return status < 400 ? '—' : 'rejected'
  return (
    <Text span fz="inherit" {...emphasisOf(status)} fw={400}>
      {OUTCOMES[name] ?? formatCode(name).toLowerCase()}
    </Text>
  )
}

/** Orange for what the platform sent wrongly; red for keys that are not valid, and faults of the hub. */
function emphasisOf(status: number) {
  if (status < 400) return {}
  const isRed = status === 401 || status >= 500
  return { fw: 600, c: isRed ? 'var(--red-text)' : 'var(--orange-text)' }
}
