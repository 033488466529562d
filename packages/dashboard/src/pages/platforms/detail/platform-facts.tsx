/** What the page of a platform shows above its tabs: its health with the repairs, what is here of it, and its facts. */
import { Anchor, Code, Group, Paper, Text, Tooltip } from '@mantine/core'
import type { HealthReason, ModuleCompleteness, PlatformDetails } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { completenessPageQuery } from '../../../api/completeness.ts'
import { snapshot } from '../../../api/live.ts'
import { rejectedPushGroupsQuery } from '../../../api/rejected-pushes.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Dot, type DotColor } from '../../../components/dot.tsx'
import { AcceptButton, RepairLink } from '../../../components/group-actions.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { columnsFor, Difference } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Ago, Clock, Time } from '../../../components/time.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { useStore } from '../../../lib/store.ts'
import { TEXTS } from '../../../texts.ts'
import { compareModule } from '../../overview/completeness-sums.ts'
import { HeldLink } from '../../reverts/holds.tsx'
import classes from '../platform-page.module.css'
import { HEALTH_COLORS, LastPush, PullBars, pullsSummary } from '../platform-state.tsx'
import { newerPushes } from './module-completeness.tsx'

/** The reasons for the health, each with a link to the page on which it is dealt with, and the last pulls. */
export function HealthCard({ platform }: { platform: PlatformDetails }) {
  const { health, pulls_paused_until } = platform
  const recent = useStore(snapshot)?.recent_pulls.find((one) => one.platform_id === platform.id)
  const isFailing = health.reasons.some(({ code }) => code === 'pulls_failing')
  const areGood = recent?.pulls.every(({ state }) => state === 'succeeded') ?? false
  const { data } = useQuery({
    ...rejectedPushGroupsQuery({ platform: platform.platform_name }),
    enabled: health.reasons.some(({ code }) => REJECTIONS.includes(code)),
  })
  const groups = data?.groups.filter(({ accepted_at }) => accepted_at === null) ?? []
  // With their groups, these reasons say nothing more.
  const reasons = health.reasons.filter(
    ({ code }) => groups.length === 0 || code !== 'rejections_open',
  )
  return (
    <Paper component="section" withBorder aria-label="Health">
      <ul className={classes['reasons']}>
        {reasons.map(({ code, message, since }) => (
          <Reason
            key={code}
            color={isFailing && code !== 'pulls_failing' ? 'orange' : HEALTH_COLORS[health.state]}
            since={since}
            actions={<Repair code={code} platform={platform.platform_name} />}
          >
            <MessageText message={message} />
          </Reason>
        ))}
        {groups.slice(0, SHOWN_GROUPS).map((group) => (
          <Reason
            key={group.cause}
            since={group.first_at}
            actions={
              <>
                <RepairLink group={group} {...(group.digest === null ? {} : { label: 'Show' })} />
                <AcceptButton group={group} />
              </>
            }
          >
            {formatCount(group.rejected_pushes, 'rejection')}
            {group.record_type !== null && ' of '}
            {group.record_type !== null && <code>{group.record_type}</code>}:{' '}
            <MessageText message={group.message} />
          </Reason>
        ))}
        {groups.length > SHOWN_GROUPS && (
          <Reason actions={<Repair code="rejections_open" platform={platform.platform_name} />}>
            {formatCount(groups.length - SHOWN_GROUPS, 'other reason')} of rejections
          </Reason>
        )}
        {pulls_paused_until !== null && (
          <Reason>
            <b>Scheduled pulls are paused</b>. The last pulls received no records of this platform.
            Scheduled pulls ping it, and skip it until <Time at={pulls_paused_until} />, or until it
            responds or pushes a record. You can pull it now.
          </Reason>
        )}
        {recent !== undefined && recent.pulls.length > 0 && (
          <li>
            <Dot color={areGood ? 'green' : isFailing ? 'red' : 'orange'} />
            <Text span inherit c="dimmed">
              {pullsSummary(recent.pulls)}
            </Text>
            <PullBars pulls={recent.pulls} />
          </li>
        )}
      </ul>
    </Paper>
  )
}

/** The reasons that consist of groups of rejected pushes and records. */
const REJECTIONS: readonly string[] = ['pushes_rejected', 'rejections_open']
const SHOWN_GROUPS = 4

function Reason(props: {
  color?: DotColor
  since?: string | null
  actions?: ReactNode
  children: ReactNode
}) {
  const { color = 'orange', since = null, actions, children } = props
  return (
    <li>
      <Dot color={color} />
      <div>
        {children}
        {since !== null && (
          <Text span inherit c="dimmed">
            {' '}
            Since <Clock at={since} />.
          </Text>
        )}
      </div>
      {actions}
    </li>
  )
}

/** The tab of the inbox in which a reason is dealt with, and the label of its link. */
const REPAIRS: Partial<Record<HealthReason['code'], { tab: string; label: string }>> = {
  pushes_rejected: { tab: 'rejected', label: 'Show rejected' },
  rejections_open: { tab: 'rejected', label: 'Show rejected' },
  review_pending: { tab: 'missing', label: TEXTS.reviewRecords },
  silent: { tab: 'alerts', label: 'Show alerts' },
}

/** Nothing if it is dealt with on the page of the platform. */
function Repair({ code, platform }: { code: HealthReason['code']; platform: string }) {
  const repair = REPAIRS[code]
  if (!repair) return null
  const { tab, label } = repair
  return (
    <LinkButton
      size="xs"
      variant="default"
      to="/dashboard/inbox"
      search={tab === 'alerts' ? { tab } : { tab, platform }}
    >
      {label}
    </LinkButton>
  )
}

const column = columnsFor<ModuleCompleteness>()

/** The records of each module on both sides. */
export function CompletenessCard({ platform: { platform_name } }: { platform: PlatformDetails }) {
  const { data } = useQuery(completenessPageQuery({ platform: platform_name }))
  return (
    <ListTable
      label="Completeness"
      rows={data?.modules}
      idOf={({ module_id }) => module_id}
      empty={
        <Paper withBorder p="md" c="dimmed" fz="sm">
          {TEXTS.noModulesRegistered}
        </Paper>
      }
      columns={[
        column.of(TEXTS.module, ({ module_name, record_type }) => (
          <>
            <PageLink
              to="/dashboard/records"
              search={{ platform: platform_name, record_type }}
              fw={600}
              c="inherit"
              fz="inherit"
            >
              {module_name}
            </PageLink>{' '}
            <Text span fz="inherit" c="dimmed">
              <code>{record_type}</code>
            </Text>
          </>
        )),
        column.number(TEXTS.platform, ({ listed }) => listed, { width: 96 }),
        column.of('Hub', hubCell, { width: 116, align: 'right', phone: 'labelled' }),
        column.of('Difference', (one) => <Difference difference={differenceOf(one)} />, {
          width: 96,
          align: 'right',
          phone: 'labelled',
        }),
        column.of('Verified', verifiedCell, { width: 220, phone: 'labelled' }),
      ]}
    />
  )
}

/** What is here of the list of the platform, and below it what the hub has besides. */
function hubCell(module: ModuleCompleteness) {
  const { here, notListed } = compareModule(module)
  return (
    <>
      {formatNumber(here)}
      {notListed > 0 && (
        <Tooltip
          label={`The hub has ${formatCount(notListed, 'more record')} that the list of the platform did not contain when it was read, because they were pushed later.`}
          multiline
          maw={320}
        >
          <Text size="xs" c="dimmed" tabIndex={0}>
            +{formatNumber(notListed)} not listed
          </Text>
        </Tooltip>
      )}
    </>
  )
}

const differenceOf = (module: ModuleCompleteness) =>
  module.listed === null ? null : compareModule(module).difference

function verifiedCell(module: ModuleCompleteness) {
  const { verified_at, verified_by, incomplete_reasons, last_error, pushed_since } = module
  const isOpen = last_error !== null || incomplete_reasons.length > 0
  // A digest with the same versions is the last comparison, whatever it explains.
  const isOlder = isOpen && (last_error !== null || verified_by === 'read')
  return (
    <Text span inherit c={isOpen ? 'var(--orange-text)' : 'dimmed'}>
      {verified_at === null ? (
        'Not yet'
      ) : (
        <>
          {isOlder && 'Last '}
          <Ago at={verified_at} />
          {newerPushes(pushed_since)}
        </>
      )}
    </Text>
  )
}

/** The fields of a registered platform (specification 2.1). */
export function PlatformFacts({ platform }: { platform: PlatformDetails }) {
  const { platform_name, source_base_url, hub_api_key_hint, platform_description } = platform
  const key = platform.hub_keys.find(({ hint }) => hint === hub_api_key_hint)
  const facts: [string, ReactNode][] = [
    ['Display title', platform.display_title],
    [
      'Platform Name',
      <Group key="name" gap={4} my={-4}>
        <code>{platform_name}</code>
        <CopyButton value={platform_name} label="Copy platform name" />
      </Group>,
    ],
    ['Connection Type', <code key="type">{platform.connection_type}</code>],
    [
      TEXTS.sourceBaseUrl,
      <Anchor key="url" href={source_base_url} target="_blank" rel="noreferrer" inherit>
        {source_base_url}
      </Anchor>,
    ],
    [TEXTS.status, <StatusBadge key="status" status={platform.status} />],
    [TEXTS.modules, `${formatNumber(platform.modules_registered)} registered`],
    [
      TEXTS.records,
      <span key="records">
        {formatNumber(platform.records)} <HeldLink platform={platform_name} />
      </span>,
    ],
    ['Manifest Fetched', <Time key="fetched" at={platform.manifest_fetched_at} />],
    [TEXTS.latestSync, <Time key="synced" at={platform.latest_sync_at} />],
    ['Last Accepted Push', <LastPush key="pushed" platform={platform} />],
    [
      'Hub API Key',
      <span key="key">
        <Code>{hub_api_key_hint ?? '—'}</Code>
        {key?.last_used_at && (
          <Text span inherit c="dimmed">
            {' used '}
            <Ago at={key.last_used_at} />
          </Text>
        )}
      </span>,
    ],
  ]
  if (platform_description !== '') facts.push(['Description', platform_description])
  return (
    <Paper component="dl" withBorder className={classes['facts'] ?? ''} aria-label="Facts">
      {facts.map(([label, value]) => [
        <dt key={`${label} label`}>{label}</dt>,
        <dd key={label}>{value}</dd>,
      ])}
    </Paper>
  )
}
