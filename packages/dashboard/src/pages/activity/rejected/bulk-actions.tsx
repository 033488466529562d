import { Button, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshRejected } from '../../../api/rejected-pushes.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'
import { BULK_FILTERS } from './use-rejected.ts'

/** Dismisses all rejected pushes that match the filters. */
export function BulkActions({ count }: { count: number }) {
  const [state] = useUrlState()
  const canOperate = useHasRole('operator')
  const refresh = useRefreshRejected()
  const query = toQueryString(state, BULK_FILTERS)
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.bulkActionsRequireOperator}
      </Text>
    )
  }
  if (query === '' || state['pull'] || state['request_id']) return null
  const dismiss = () =>
    confirm({
      title: TEXTS.dismissAllMatchingTitle,
      children: (
        <Text size="sm">
          {TEXTS.dismissAllMatchingMessage(
            formatCount(count, 'open rejected push', 'open rejected pushes'),
          )}
        </Text>
      ),
      action: TEXTS.dismiss,
      onConfirm: async () => {
        const { dismissed } = await callHub<{ dismissed: number }>(
          `/api/v1/rejected-pushes?${query}`,
          { method: 'DELETE' },
        )
        notify(TEXTS.dismissedCount(formatCount(dismissed, 'rejected push', 'rejected pushes')))
        await refresh()
      },
    })
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      leftSection={<IconTrash size={14} />}
      disabled={count === 0}
      onClick={dismiss}
    >
      {TEXTS.dismissAllMatching}
    </Button>
  )
}
