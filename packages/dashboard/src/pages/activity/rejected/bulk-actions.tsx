import { Button, Group, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { callHub } from '../../../api/call-hub.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { formatCount } from '../../../lib/format.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
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
        Replaying and dismissing require the operator role.
      </Text>
    )
  }
  const reason = disabledReason(state['pull'], count)
  const dismiss = () =>
    confirm({
      title: 'Dismiss all matching?',
      children: (
        <Text size="sm">
          This deletes {formatCount(count, 'open rejected push', 'open rejected pushes')} and the
          replayed ones with the same filter, including their bodies. They can no longer be
          replayed. Stored records are not changed.
        </Text>
      ),
      action: 'Dismiss',
      onConfirm: async () => {
        const { dismissed } = await callHub<{ dismissed: number }>(
          `/api/v1/rejected-pushes?${query}`,
          { method: 'DELETE' },
        )
        notify(`${formatCount(dismissed, 'rejected push', 'rejected pushes')} dismissed`)
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
          Replay all matching
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
          Dismiss all matching
        </Button>
      )}
      <Dialog
        opened={isOpen}
        onClose={close}
        title="Replay all matching"
        size="lg"
        closeOnClickOutside={false}
      >
        <ReplayAll state={state} onClose={close} />
      </Dialog>
    </Group>
  )
}

function disabledReason(pull: string | undefined, count: number): string {
  if (pull)
    return 'The rejected records of a single pull cannot be replayed together. Clear the filter by pull, and select a cause.'
  return count === 0 ? 'No open rejected pushes match.' : ''
}
