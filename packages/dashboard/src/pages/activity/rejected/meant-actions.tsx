import { Button, Group, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { callHub } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { confirm, tell } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { formatCount } from '../../../lib/format.ts'
import { queryText } from '../../../lib/query-text.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useStore } from '../../../lib/use-store.ts'
import { ReplayAll } from './replay-all.tsx'
import { MEANT, useRereadRejected } from './use-rejected.ts'

/** What can be done to all that the filters mean. */
export function MeantActions({ waiting }: { waiting: number }) {
  const [state] = useUrlState()
  const { operator } = useStore(session)
  const [isOpen, { open, close }] = useDisclosure(false)
  const reread = useRereadRejected()
  const query = queryText(state, MEANT)
  if (!mayActAs(operator?.role, 'operator')) {
    return (
      <Text size="xs" c="dimmed">
        Replaying and dismissing take the role operator.
      </Text>
    )
  }
  const reason = reasonAgainst(state['pull'], waiting)
  const dismiss = () =>
    confirm({
      title: 'Dismiss all that match?',
      children: (
        <Text size="sm">
          {formatCount(waiting, 'rejected push', 'rejected pushes')} that wait, and those of the
          same filter that were replayed, are forgotten with their bodies. They cannot be replayed
          any more. Stored records stay as they are.
        </Text>
      ),
      action: 'Dismiss',
      onConfirm: async () => {
        const { dismissed } = await callHub<{ dismissed: number }>(
          `/api/v1/rejected-pushes?${query}`,
          { method: 'DELETE' },
        )
        tell(`${formatCount(dismissed, 'rejected push', 'rejected pushes')} dismissed`)
        await reread()
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
          Replay all that match
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
          Dismiss them
        </Button>
      )}
      <Dialog
        opened={isOpen}
        onClose={close}
        title="Replay all that match"
        size="lg"
        closeOnClickOutside={false}
      >
        <ReplayAll state={state} onClose={close} />
      </Dialog>
    </Group>
  )
}

function reasonAgainst(pull: string | undefined, waiting: number): string {
  if (pull) return 'All of one pull cannot be replayed at once. Clear the pull, and choose a cause.'
  return waiting === 0 ? 'Nothing that matches waits.' : ''
}
