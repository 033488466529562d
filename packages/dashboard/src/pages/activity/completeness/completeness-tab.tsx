import { Anchor, Box, List, Stack, Text } from '@mantine/core'
import type { ModuleCompleteness } from '@recordhub/protocol'
import { IconChecklist } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { completenessPageQuery } from '../../../api/completeness.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { Pager } from '../../../components/pager.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { PlatformSelect } from '../platform-select.tsx'
import { TEXTS } from '../texts.tsx'
import {
  completeLabel,
  completenessStatus,
  differenceLabels,
  incompleteReasonLabel,
} from './completeness-labels.ts'
import { VerifiedAt } from './verified-at.tsx'

const column = columnsFor<ModuleCompleteness>()

const PAGE = 50

/** Whether the hub has all records of each module, or why this could not be verified. */
export function CompletenessTab() {
  const [state] = useUrlState()
  const query = toQueryString(state, ['platform', 'cursor'], { limit: PAGE })
  const { data, error, refetch, isPlaceholderData } = useQuery(completenessPageQuery(query))
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        {TEXTS.completenessHint}
      </Text>
      <Box maw={320}>
        <PlatformSelect />
      </Box>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {(data || !error) && <CompletenessTable modules={data?.modules} />}
      {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
    </Stack>
  )
}

function Status({ module }: { module: ModuleCompleteness }) {
  switch (completenessStatus(module)) {
    case 'complete':
      return <StatusBadge status="succeeded" label={completeLabel(module)} />
    case 'not_verified':
      return <StatusBadge status="warning" label={TEXTS.notVerified} />
    default:
      return <StatusBadge status="not pulled" label={TEXTS.notPulledYet} />
  }
}

function CompletenessTable({ modules }: { modules: ModuleCompleteness[] | undefined }) {
  return (
    <ListTable
      label={TEXTS.completeness}
      rows={modules}
      idOf={({ module_id }) => module_id}
      empty={
        <EmptyState icon={<IconChecklist />} title={TEXTS.noModulesRegistered}>
          {TEXTS.noModulesRegisteredHint}
        </EmptyState>
      }
      columns={[
        column.of(TEXTS.module, (module) => (
          <>
            <Text size="sm" fw={600}>
              {module.module_name}
            </Text>
            <Below>
              {module.record_type} <PlatformLink name={module.platform_name} />
            </Below>
          </>
        )),
        column.of(TEXTS.status, (module) => <Status module={module} />, {
          width: 160,
          phone: 'line',
        }),
        column.of(TEXTS.reasons, (module) => <Reasons module={module} />, { phone: 'line' }),
        column.of(TEXTS.lastVerified, (module) => <VerifiedAt module={module} />, {
          width: 215,
          from: 'desktop',
          phone: 'labelled',
        }),
        column.time(TEXTS.lastPull, ({ last_read_at }) => last_read_at, {
          from: 'desktop',
          none: TEXTS.never,
          phone: 'labelled',
        }),
        column.of(TEXTS.records, (module) => <Figures module={module} />, {
          width: 110,
          align: 'right',
          phone: 'end',
        }),
      ]}
    />
  )
}

function Reasons({ module }: { module: ModuleCompleteness }) {
  const { incomplete_reasons, last_error, last_warning } = module
  const reasons = [
    ...(last_error === null ? [] : [TEXTS.lastPullFailedWith(last_error)]),
    ...(last_warning === null ? [] : [last_warning]),
    ...incomplete_reasons.map(incompleteReasonLabel),
    ...differenceLabels(module),
  ]
  if (reasons.length === 0) return <Text size="sm">—</Text>
  return (
    <List size="sm" spacing={2}>
      {reasons.map((reason) => (
        <List.Item key={reason}>{reason}</List.Item>
      ))}
    </List>
  )
}

function Figures({ module }: { module: ModuleCompleteness }) {
  const { platform_name: platform, record_type, records, missing } = module
  return (
    <Stack gap={2} align="flex-end">
      <RecordsLink search={{ platform, record_type }} text={formatNumber(records)} />
      {missing > 0 && (
        <RecordsLink
          search={{ platform, record_type, missing: 'true' }}
          text={TEXTS.missingCount(formatNumber(missing))}
        />
      )}
    </Stack>
  )
}

function RecordsLink({ search, text }: { search: Record<string, string>; text: string }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/dashboard/records" search={search} {...props} />}
    >
      {text}
    </Anchor>
  )
}
