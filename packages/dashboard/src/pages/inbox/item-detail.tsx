import { Button, Group, Menu, Stack, Text, Title } from '@mantine/core'
import type { InboxItem } from '@recordhub/protocol'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { missingReviewQuery } from '../../api/missing-reviews.ts'
import { Loaded } from '../../components/loaded.tsx'
import { MENU_PROPS } from '../../components/menu-props.ts'
import { MessageText } from '../../components/message-text.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Ago, Clock, Time } from '../../components/time.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { ReviewCard } from '../activity/missing/review-card.tsx'
import classes from './inbox.module.css'
import { usePutAside, useReopen } from './inbox-query.ts'
import { ItemActions } from './item-actions.tsx'
import { RejectedGroup } from './rejected-group.tsx'

/** A fault: what, which platform, since when and why, with what can be done about it. */
export function ItemDetail({ item }: { item: InboxItem }) {
  const [, change] = useUrlState()
  const { kind, title, reason, platform, since, last_at, rejected } = item
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        px={0}
        className={classes['back'] ?? ''}
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        onClick={() => change({ item: null })}
      >
        Inbox
      </Button>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={4}>
          <Title order={2} fz="h2">
            <MessageText message={title} />
          </Title>
          <Text size="sm" c="dimmed">
            {platform ? (
              <PageLink
                to="/dashboard/platforms/$id"
                params={{ id: String(platform.id) }}
                inherit
                underline="always"
              >
                {platform.title}
              </PageLink>
            ) : (
              'This hub'
            )}
            {since !== null && (
              <>
                {' · since '}
                <Clock at={since} />
              </>
            )}
            {last_at !== null && (
              <>
                {', last '}
                <Ago at={last_at} />
              </>
            )}
          </Text>
        </Stack>
        <PutAside item={item} />
      </Group>
      <Text mt="md">
        <MessageText message={reason} />
      </Text>
      <ItemActions item={item} />
      {kind === 'missing_review' && <Review id={item.missing_review_id} />}
      {rejected !== null && platform !== null && (
        <RejectedGroup platform={platform.platform_name} rejected={rejected} />
      )}
    </>
  )
}

function Review({ id }: { id: number | null }) {
  const query = useQuery(missingReviewQuery(String(id)))
  return (
    <Loaded query={query} errorTitle="The review could not be read">
      {({ missing_review }) => <ReviewCard review={missing_review} />}
    </Loaded>
  )
}

const HOUR_MS = 3_600_000
const SNOOZES = [
  ['For an hour', 1],
  ['For a day', 24],
  ['For a week', 7 * 24],
] as const

function PutAside({ item }: { item: InboxItem }) {
  const canOperate = useHasRole('operator')
  const putAside = usePutAside()
  const reopen = useReopen()
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
        {canOperate && item.alert_id === null && (
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
      <Menu {...MENU_PROPS} position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="subtle" color="gray">
            Snooze
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {SNOOZES.map(([label, hours]) => (
            <Menu.Item
              key={hours}
              onClick={() => void putAside(item, new Date(Date.now() + hours * HOUR_MS))}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="default" onClick={() => void putAside(item, null)}>
        Acknowledge
      </Button>
    </Group>
  )
}
