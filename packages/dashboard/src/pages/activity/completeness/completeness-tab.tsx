import { Box, Stack, Text } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { completenessPageQuery } from '../../../api/completeness.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { queryText } from '../../../lib/query-text.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { ListSkeleton } from '../list-skeleton.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { CompletenessTable } from './completeness-table.tsx'

const PAGE = 50

/** Whether the records of each module are all here, and why that is not known. */
export function CompletenessTab() {
  const [state] = useUrlState()
  const query = queryText(state, ['platform', 'cursor'], { limit: PAGE })
  const { data, error, refetch, isPlaceholderData } = useQuery(completenessPageQuery(query))
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        A complete read that brought exactly the platform’s total, with nothing rejected, proves
        that all records of a module are here.
      </Text>
      <Box maw={320}>
        <PlatformSelect />
      </Box>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !data && <ListSkeleton height={52} rows={6} />}
      {data && data.modules.length > 0 && <CompletenessTable modules={data.modules} />}
      {data?.modules.length === 0 && (
        <EmptyState icon={<IconChecklist />} title="No module is registered">
          Register a platform with its modules, and pull it.
        </EmptyState>
      )}
      {data && <Pager next={data.next_cursor} isLate={isPlaceholderData} />}
    </Stack>
  )
}
