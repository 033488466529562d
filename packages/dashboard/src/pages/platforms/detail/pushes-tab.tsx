import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconArrowsDownUp, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { platformActivityQuery } from '../../../api/activity.ts'
import { pushErrorPageQuery } from '../../../api/inbox.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { TEXTS } from '../../../texts.ts'
import { PushErrorTable } from '../../activity/push-errors/push-errors-tab.tsx'
import { ActivityEntries } from './activity-entries.tsx'
import { Paged, usePages } from './paged.tsx'
import { RejectedPushes } from './rejected-pushes.tsx'

const PAGE = 50

/** The pushes of the platform: accepted, rejected, and push errors. */
export function PushesTab({ platform }: { platform: PlatformDetails }) {
  const { platform_name, last_push_at } = platform
  const activity = usePages(
    platformActivityQuery({ platform: platform_name, kind: 'push', limit: `${PAGE}` }),
  )
  const accepted = activity.rows.filter(({ kind }) => kind !== 'push.rejected')
  return (
    <Stack>
      <Text size="sm" c="dimmed" component="div">
        {last_push_at === null ? (
          'No accepted pushes yet.'
        ) : (
          <>
            Last accepted push: <Time at={last_push_at} />
          </>
        )}
      </Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <section aria-labelledby="rejected">
          <Group justify="space-between" mb="sm">
            <Title order={2} fz="h4" id="rejected">
              {TEXTS.rejected}
            </Title>
            <PageLink
              to="/dashboard/inbox"
              search={{ tab: 'rejected', platform: platform_name }}
              size="sm"
            >
              All rejected pushes
            </PageLink>
          </Group>
          <RejectedPushes platformName={platform_name} />
        </section>
        <section aria-labelledby="accepted">
          <Title order={2} fz="h4" id="accepted" mb="sm">
            Accepted
          </Title>
          <Paged
            query={{ ...activity, rows: accepted }}
            empty={
              <EmptyState icon={<IconArrowsDownUp />} title="No accepted pushes">
                The platform pushes with its hub API key. Accepted pushes appear here with their
                record.
              </EmptyState>
            }
          >
            <ActivityEntries lines={accepted} />
          </Paged>
        </section>
      </SimpleGrid>
      <section aria-labelledby="push-errors">
        <Group justify="space-between" mb="sm">
          <Title order={2} fz="h4" id="push-errors">
            {TEXTS.pushErrors}
          </Title>
          <PageLink
            to="/dashboard/inbox"
            search={{ tab: 'push-errors', platform: platform_name }}
            size="sm"
          >
            All push errors
          </PageLink>
        </Group>
        <Text size="sm" c="dimmed" mb="sm">
          Requests that this platform may have sent with an invalid API key or a malformed body.
        </Text>
        <PushErrors platformName={platform_name} />
      </section>
    </Stack>
  )
}

const SHOWN = 10

/** The newest push errors that the platform may have caused. */
function PushErrors({ platformName }: { platformName: string }) {
  const query = useQuery(pushErrorPageQuery({ platform: platformName, limit: String(SHOWN) }))
  return (
    <Loaded
      query={query}
      empty={({ push_errors }) =>
        push_errors.length === 0 && (
          <EmptyState icon={<IconCircleCheck />} title={TEXTS.noPushErrors}>
            Pushes of this platform with an invalid API key or malformed JSON are counted here.
          </EmptyState>
        )
      }
    >
      {({ push_errors }) => <PushErrorTable errors={push_errors} isOfPlatform />}
    </Loaded>
  )
}
