import { Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { InboxItem } from '@recordhub/protocol'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { snapshot } from '../../api/live.ts'
import { platformQuery } from '../../api/platforms.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Ago, Clock } from '../../components/time.tsx'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { OneReview } from '../activity/missing/review-card.tsx'
import { headingId } from '../guide/split-guide.ts'
import { PullButton } from '../platforms/pull-button.tsx'
import { TestButton } from '../platforms/test-button.tsx'
import { PullNowButton } from '../pulls/pull-now-button.tsx'
import classes from './inbox.module.css'
import { ItemTarget } from './item-target.tsx'
import { PutAside } from './put-aside.tsx'
import { RepairGroup } from './repair.tsx'

/** A fault: what, which platform, since when and why, with what can be done about it. */
export function ItemDetail({ item, isOver }: { item: InboxItem; isOver: boolean }) {
  const [, change] = useUrlState()
  const { kind, title, reason, platform, since, last_at, rejected } = item
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        px={0}
        hiddenFrom="sm"
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        onClick={() => change({ item: null })}
      >
        Inbox
      </Button>
      <Group justify="space-between" align="flex-start" gap="xs">
        <Stack gap={4} flex="1 1 20rem">
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
        {!isOver && <PutAside item={item} />}
      </Group>
      {isOver ? (
        <Text mt="md" c="dimmed">
          This item is over.
        </Text>
      ) : (
        <>
          <Text mt="md">
            <MessageText message={reason} />
          </Text>
          <ItemActions item={item} />
        </>
      )}
      {kind === 'missing_review' && (
        <Box mt="md">
          <OneReview id={String(item.missing_review_id)} />
        </Box>
      )}
      {rejected !== null && platform !== null && (
        <RepairGroup
          platform={platform.platform_name}
          cause={rejected.cause}
          // It stays open after its last rejection was replayed.
          onReplay={() => change({ item: item.key }, { replace: true })}
        />
      )}
    </>
  )
}

/** What can be done about a fault, on its page or where it is decided. */
function ItemActions({ item }: { item: InboxItem }) {
  const { kind, platform, record_type } = item
  const canOperate = useHasRole('operator')
  const isOfConnection = kind === 'pulls_failing' || kind === 'certificate_expiring'
  return (
    <Group gap="xs" mt="md" className={classes['itemActions'] ?? ''}>
      {isOfConnection && canOperate && platform && <Connection id={platform.id} />}
      {kind === 'disagreement' && platform && record_type !== null && (
        <ReadAgain id={platform.id} record_type={record_type} />
      )}
      <ItemTarget item={item} />
    </Group>
  )
}

function Connection({ id }: { id: number }) {
  const platform = useQuery(platformQuery(id)).data
  const summary = useStore(snapshot)?.platforms.find((one) => one.id === id)
  return (
    <>
      {platform && <TestButton platform={platform} />}
      {summary && <PullNowButton platform={summary} />}
    </>
  )
}

/** Settles a disagreement of list and digest, once the platform owner has followed the guide. */
function ReadAgain({ id, record_type }: { id: number; record_type: string }) {
  const canOperate = useHasRole('operator')
  const summary = useStore(snapshot)?.platforms.find((one) => one.id === id)
  return (
    <>
      {canOperate && summary && <PullButton platform={summary} full={{ record_type }} />}
      <LinkButton to="/dashboard/guide" search={{ section: DIGEST_SECTION }} variant="default">
        Show the guide
      </LinkButton>
    </>
  )
}

/** The heading of the integration guide about lists and digests. */
const DIGEST_SECTION = headingId('The digest (optional)')
