import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconArrowsDownUp } from '@tabler/icons-react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { ActivityLines } from './activity-lines.tsx'
import { Paged } from './paged.tsx'
import { PushErrors } from './push-errors.tsx'
import { RejectedPushes } from './rejected-pushes.tsx'
import { usePages } from './use-pages.ts'

const PAGE = 50

/** What the platform pushed: taken or refused. */
export function PushesTab({ platform }: { platform: PlatformDetails }) {
  const { platform_name, last_push_at } = platform
  const activity = usePages(
    platformActivityQuery({ platform: platform_name, kind: 'push', limit: `${PAGE}` }),
  )
  const taken = activity.rows.filter(({ kind }) => kind !== 'push.rejected')
  return (
    <Stack>
      <Text size="sm" c="dimmed" component="div">
        {last_push_at === null ? (
          'No push was taken yet.'
        ) : (
          <>
            The last push was taken <Time at={last_push_at} />.
          </>
        )}
      </Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <section aria-labelledby="refused">
          <Group justify="space-between" mb="sm">
            <Title order={2} fz="h4" id="refused">
              Refused
            </Title>
            <PageLink
              to="/dashboard/activity"
              search={{ tab: 'rejected', platform: platform_name }}
              size="sm"
            >
              All that was refused
            </PageLink>
          </Group>
          <RejectedPushes platformName={platform_name} />
        </section>
        <section aria-labelledby="taken">
          <Title order={2} fz="h4" id="taken" mb="sm">
            Taken
          </Title>
          <Paged
            query={{ ...activity, rows: taken }}
            empty={
              <EmptyState icon={<IconArrowsDownUp />} title="No push was taken yet">
                The platform pushes with the hub API key. What it pushes is told here with its
                record.
              </EmptyState>
            }
          >
            <ActivityLines lines={taken} />
          </Paged>
        </section>
      </SimpleGrid>
      <section aria-labelledby="push-errors">
        <Group justify="space-between" mb="sm">
          <Title order={2} fz="h4" id="push-errors">
            Push errors
          </Title>
          <PageLink
            to="/dashboard/activity"
            search={{ tab: 'push-errors', platform: platform_name }}
            size="sm"
          >
            All push errors
          </PageLink>
        </Group>
        <Text size="sm" c="dimmed" mb="sm">
          Requests that this platform may have sent with a wrong API key or an unreadable body.
        </Text>
        <PushErrors platformName={platform_name} />
      </section>
    </Stack>
  )
}
