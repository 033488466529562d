import { Button, Group, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { callHub } from '../../../api/call-hub.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { formatCount } from '../../../lib/format.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import { type UrlState, useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'
import { ReplayAll } from './replay-all.tsx'
import { BULK_FILTERS, useRefreshRejected } from './use-rejected.ts'

/** Actions on all rejected pushes that match the filters. */
export function BulkActions({ count }: { count: number }) {
  const [state] = useUrlState()
  const canOperate = useHasRole('operator')
  const [isOpen, { open, close }] = useDisclosure(false)
  const refresh = useRefreshRejected()
  const query = toQueryString(state, BULK_FILTERS)
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        {TEXTS.bulkActionsRequireOperator}
      </Text>
    )
  }
  const reason = disabledReason(state, count)
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
    <Group gap="xs">
      <Tooltip label={reason} disabled={reason === ''}>
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlayerPlay size={14} />}
          {...(reason === '' ? {} : { 'data-disabled': true })}
          aria-disabled={reason !== ''}
          onClick={() => reason === '' && open()}
        >
          {TEXTS.replayAllMatching}
        </Button>
      </Tooltip>
      {query !== '' && (
        <Button
          size="xs"
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={14} />}
          disabled={reason !== ''}
          onClick={dismiss}
        >
          {TEXTS.dismissAllMatching}
        </Button>
      )}
      <Dialog
        opened={isOpen}
        onClose={close}
        title={TEXTS.replayAllMatching}
        size="lg"
        closeOnClickOutside={false}
      >
        <ReplayAll state={state} onClose={close} />
      </Dialog>
    </Group>
  )
}

function disabledReason({ pull, request_id }: UrlState, count: number): string {
  if (pull) return TEXTS.noBulkReplayOfPull
  if (request_id) return TEXTS.noBulkReplayOfRequest
  return count === 0 ? TEXTS.nothingToReplayMatches : ''
}
