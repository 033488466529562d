import { Box, Stack, Text } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { completenessPageQuery } from '../../../api/completeness.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { TEXTS } from '../texts.tsx'
import { CompletenessTable } from './completeness-table.tsx'

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
