import { Anchor, Box, List, Stack, Text } from '@mantine/core'
import type { ModuleCompleteness } from '@recordhub/protocol'
import { IconChecklist } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DataTable } from 'mantine-datatable'
import { completenessPageQuery } from '../../../api/completeness.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { PlatformLink } from '../platform-link.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { TEXTS } from '../texts.tsx'
import {
  completeLabel,
  completenessStatus,
  differenceLabels,
  incompleteReasonLabel,
} from './completeness-labels.ts'
import { VerifiedAt } from './verified-at.tsx'

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
      {!error && !data && <ListSkeleton height={52} rows={6} />}
      {data && data.modules.length > 0 && <CompletenessTable modules={data.modules} />}
      {data?.modules.length === 0 && (
        <EmptyState icon={<IconChecklist />} title={TEXTS.noModulesRegistered}>
          {TEXTS.noModulesRegisteredHint}
        </EmptyState>
      )}
      {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
    </Stack>
  )
}

const FROM_TABLET = '(min-width: 48em)'
const FROM_DESKTOP = '(min-width: 62em)'
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

function CompletenessTable({ modules }: { modules: ModuleCompleteness[] }) {
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      verticalAlign="top"
      records={modules}
      idAccessor="module_id"
      columns={[
        {
          accessor: 'module_name',
          title: TEXTS.module,
          width: 240,
          render: (module) => (
            <Stack gap={2} align="flex-start">
              <Text size="sm" fw={600}>
                {module.module_name}
              </Text>
              <Text size="xs" c="dimmed">
                {module.record_type}
              </Text>
              <PlatformLink name={module.platform_name} />
              <Stack hiddenFrom="sm" gap={4} mt={4} align="flex-start">
                <Status module={module} />
                <Reasons module={module} />
                {module.complete_at !== null && (
                  <Text span size="xs" c="dimmed">
                    <VerifiedAt module={module} />
                  </Text>
                )}
              </Stack>
            </Stack>
          ),
        },
        {
          accessor: 'status',
          title: TEXTS.status,
          width: 170,
          visibleMediaQuery: FROM_TABLET,
          render: (module) => <Status module={module} />,
        },
        {
          accessor: 'incomplete_reasons',
          title: TEXTS.reasons,
          visibleMediaQuery: FROM_TABLET,
          render: (module) => <Reasons module={module} />,
        },
        {
          accessor: 'complete_at',
          title: TEXTS.lastVerified,
          width: 220,
          visibleMediaQuery: FROM_DESKTOP,
          render: (module) => (
            <Text span size="sm" c="dimmed">
              <VerifiedAt module={module} />
            </Text>
          ),
        },
        {
          accessor: 'last_read_at',
          title: TEXTS.lastPull,
          width: 190,
          noWrap: true,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ last_read_at }) => (
            <Text span size="sm" c="dimmed">
              {last_read_at === null ? TEXTS.never : <Time at={last_read_at} />}
            </Text>
          ),
        },
        {
          accessor: 'records',
          title: TEXTS.records,
          textAlign: 'right',
          width: 100,
          render: (module) => <Figures module={module} />,
        },
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
