/** Putting an item of the inbox aside: until its fault changes, or until a time. */
import { Button, Group, Menu, Stack, Text } from '@mantine/core'
import type { InboxItem } from '@recordhub/protocol'
import { IconDots } from '@tabler/icons-react'
import { IconButton } from '../../components/icon-button.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { Time } from '../../components/time.tsx'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { usePutAside } from './inbox-query.ts'

const HOUR_MS = 3_600_000
const SNOOZES = [
  ['for an hour', 1],
  ['for a day', 24],
  ['for a week', 7 * 24],
] as const

function SnoozeItems({ item }: { item: InboxItem }) {
  const { putAside } = usePutAside()
  return SNOOZES.map(([span, hours]) => (
    <Menu.Item
      key={hours}
      onClick={() => void putAside(item, new Date(Date.now() + hours * HOUR_MS))}
    >
      Snooze {span}
    </Menu.Item>
  ))
}

/** What can be done with every item of a list. */
export function ItemMenu({ item }: { item: InboxItem }) {
  const canOperate = useHasRole('operator')
  const { putAside } = usePutAside()
  if (!canOperate) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton label={`More actions: ${item.title}`}>
          <IconDots size={16} aria-hidden />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        <SnoozeItems item={item} />
        <Menu.Divider />
        <Menu.Item onClick={() => void putAside(item, null)}>{TEXTS.acknowledge}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The buttons of an opened item; of one that is put aside, by whom and until when. */
export function PutAside({ item }: { item: InboxItem }) {
  const canOperate = useHasRole('operator')
  const { putAside, reopen } = usePutAside()
  const aside = item.put_aside
  if (aside !== null) {
    return (
      <Stack gap={4} align="flex-end" flex="none">
        <Text size="xs" c="dimmed" ta="right">
          {aside.as === 'snoozed' ? 'Snoozed by ' : 'Acknowledged by '}
          <OperatorName by={aside.by} />
          {aside.until !== null && (
            <>
              {' until '}
              <Time at={aside.until} />
            </>
          )}
        </Text>
        {canOperate && (
          <Button size="xs" variant="default" onClick={() => void reopen(item)}>
            Open again
          </Button>
        )}
      </Stack>
    )
  }
  if (!canOperate) return null
  return (
    <Group gap="xs" flex="none">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="subtle" color="gray">
            Snooze
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <SnoozeItems item={item} />
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="default" onClick={() => void putAside(item, null)}>
        {TEXTS.acknowledge}
      </Button>
    </Group>
  )
}
