import { Button, Group, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { InboxItem } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'
import { rejectedPushPageQuery } from '../../api/rejected-pushes.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { AdviceLine } from '../activity/advice-line.tsx'
import { adviceFor, referenceOf } from '../activity/rejected/advice.ts'
import { ReplayAll } from '../activity/rejected/replay-all.tsx'
import { useRefreshRejected } from '../activity/rejected/use-rejected.ts'

const SHOWN = 6

/** The rejections of one cause, which are replayed, accepted or deleted together. */
export function RejectedGroup({
  platform,
  rejected: { cause, count, digest },
}: {
  platform: string
  rejected: NonNullable<InboxItem['rejected']>
}) {
  const filter = { platform, cause }
  const search = { tab: 'rejected', ...filter }
  const query = new URLSearchParams({ ...filter, state: 'open', limit: String(SHOWN) })
  const page = useQuery(rejectedPushPageQuery(String(query)))
  return (
    <Loaded query={page} errorTitle="The rejections could not be read">
      {({ rejected_pushes: [first, ...others] }) =>
        first && (
          <>
            <AdviceLine text={adviceFor(first)} />
            <Table mt="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Reference</Table.Th>
                  <Table.Th>Source</Table.Th>
                  <Table.Th>Last rejected</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {[first, ...others].map(({ id, body, method, at }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <PageLink
                        to="/dashboard/inbox"
                        search={{ ...search, rejected: String(id) }}
                        size="sm"
                      >
                        {referenceOf(body)}
                      </PageLink>
                    </Table.Td>
                    <Table.Td>{method}</Table.Td>
                    <Table.Td>
                      <Time at={at} seconds />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            {count > SHOWN && (
              <PageLink to="/dashboard/inbox" search={search} size="sm">
                {`Show all ${count}`}
              </PageLink>
            )}
            <Actions filter={filter} count={count} digest={digest} />
          </>
        )
      }
    </Loaded>
  )
}

function Actions({
  filter,
  count,
  digest,
}: {
  filter: { platform: string; cause: string }
  count: number
  digest: string | null
}) {
  const canOperate = useHasRole('operator')
  const [isOpen, { open, close }] = useDisclosure(false)
  const refresh = useRefreshRejected()
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed" mt="md">
        Replaying requires the role operator.
      </Text>
    )
  }
  const accept = async () => {
    const body = { ...filter, digest }
    await callHub('/api/v1/rejected-pushes/groups/accept', { method: 'POST', body })
    await refresh()
  }
  const dismiss = async () => {
    const path = `/api/v1/rejected-pushes?${new URLSearchParams(filter)}`
    const { dismissed } = await callHub<{ dismissed: number }>(path, { method: 'DELETE' })
    notify(`${formatCount(dismissed, 'rejection')} deleted`)
    await refresh()
  }
  return (
    <Group mt="md" gap="xs">
      <Button onClick={open}>{`Replay ${formatCount(count, 'rejection')}`}</Button>
      {digest !== null && (
        <Button
          variant="default"
          onClick={() =>
            confirm({
              title: 'Accept these records as exceptions?',
              children:
                'They count as known at the source until they change. The module can then be complete without them.',
              action: 'Accept',
              color: 'blue',
              onConfirm: accept,
            })
          }
        >
          {`Accept ${count}`}
        </Button>
      )}
      <Button
        variant="subtle"
        color="red"
        ml="auto"
        onClick={() =>
          confirm({
            title: `Delete ${formatCount(count, 'rejection')}?`,
            children: 'Their bodies are deleted. They can no longer be replayed.',
            action: 'Delete',
            onConfirm: dismiss,
          })
        }
      >
        {`Delete ${count}…`}
      </Button>
      <Dialog
        opened={isOpen}
        onClose={close}
        title={`Replay ${formatCount(count, 'rejection')}`}
        size="lg"
        closeOnClickOutside={false}
      >
        <ReplayAll state={filter} onClose={close} />
      </Dialog>
    </Group>
  )
}
