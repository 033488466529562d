import { Anchor, List, Stack, Text } from '@mantine/core'
import type { ModuleCompleteness } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { DataTable } from 'mantine-datatable'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { PlatformLink } from '../platform-link.tsx'
import { type Standing, standingOf, wordsForDoubt } from './doubts.ts'

const FROM_TABLET = '(min-width: 48em)'
const FROM_DESKTOP = '(min-width: 62em)'
const STANDINGS: Readonly<Record<Standing, { status: string; label: string }>> = {
  proved: { status: 'succeeded', label: 'All here' },
  doubted: { status: 'warning', label: 'Not proved' },
  unread: { status: 'not read', label: 'Not read yet' },
}

export function CompletenessTable({ modules }: { modules: ModuleCompleteness[] }) {
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
          title: 'Module',
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
                <StatusBadge {...STANDINGS[standingOf(module)]} />
                <Why module={module} />
              </Stack>
            </Stack>
          ),
        },
        {
          accessor: 'standing',
          title: 'Standing',
          width: 130,
          visibleMediaQuery: FROM_TABLET,
          render: (module) => <StatusBadge {...STANDINGS[standingOf(module)]} />,
        },
        {
          accessor: 'doubts',
          title: 'Why',
          visibleMediaQuery: FROM_TABLET,
          render: (module) => <Why module={module} />,
        },
        {
          accessor: 'complete_at',
          title: 'Last proved',
          width: 190,
          noWrap: true,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ complete_at }) => <When at={complete_at} />,
        },
        {
          accessor: 'last_read_at',
          title: 'Last read',
          width: 190,
          noWrap: true,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ last_read_at }) => <When at={last_read_at} />,
        },
        {
          accessor: 'records',
          title: 'Records',
          textAlign: 'right',
          width: 100,
          render: (module) => <Figures module={module} />,
        },
      ]}
    />
  )
}

function When({ at }: { at: string | null }) {
  return (
    <Text span size="sm" c="dimmed">
      {at === null ? 'never' : <Time at={at} />}
    </Text>
  )
}

function Why({ module }: { module: ModuleCompleteness }) {
  const { doubts, trouble, only_here, pushed_since } = module
  const reasons = [
    ...(trouble === null ? [] : [trouble]),
    ...doubts.map(wordsForDoubt),
    ...(only_here ? [`${formatNumber(only_here)} here that the last whole read did not meet`] : []),
    ...(pushed_since ? [`${formatNumber(pushed_since)} pushed since it was proved`] : []),
  ]
  if (reasons.length === 0) return <Text size="sm">–</Text>
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
      <RecordsLink search={{ platform, record_type }} words={formatNumber(records)} />
      {missing > 0 && (
        <RecordsLink
          search={{ platform, record_type, missing: 'true' }}
          words={`${formatNumber(missing)} missing`}
        />
      )}
    </Stack>
  )
}

function RecordsLink({ search, words }: { search: Record<string, string>; words: string }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/dashboard/records" search={search} {...props} />}
    >
      {words}
    </Anchor>
  )
}
