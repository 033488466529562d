import { Skeleton } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { pushErrorPageQuery } from '../../../api/push-errors.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PushErrorTable } from '../../activity/push-errors/push-error-table.tsx'

const SHOWN = 10

/** The newest requests that the platform may have sent and of which only their number is stored. */
export function PushErrors({ platformName }: { platformName: string }) {
  const query = new URLSearchParams({ platform: platformName, limit: `${SHOWN}` })
  const { data, error, refetch } = useQuery(pushErrorPageQuery(`${query}`))
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={120} />
  if (data.push_errors.length === 0) {
    return (
      <EmptyState icon={<IconCircleCheck />} title="No push errors">
        If this platform pushes with a wrong API key or malformed JSON, its requests are counted
        here.
      </EmptyState>
    )
  }
  return <PushErrorTable errors={data.push_errors} isOfPlatform />
}
